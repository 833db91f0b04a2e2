// SPDX-License-Identifier: Apache-2.0
// Tensors between layouts.
#pragma once

#include <span>

#include "computation.h"

namespace tileplan {

/// Copies every element of `tensor` from one layout to another; padding of blocks becomes zero.
/// Requires: the buffers have the elements of their layouts.
void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const float> source,
              const TensorLayout& to, std::span<float> target);

}  // namespace tileplan
