// SPDX-License-Identifier: Apache-2.0
// Tensors between layouts.
#pragma once

#include <span>

#include "buffers.h"
#include "computation.h"

namespace tileplan {

/// Copies every element of `tensor` from one layout to another; padding of blocks becomes zero.
/// Requires: the buffers have the elements of their layouts, of one
/// type.
void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const float> source,
              const TensorLayout& to, std::span<float> target);
void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const double> source,
              const TensorLayout& to, std::span<double> target);
void relayout(const TensorAccess& tensor, const TensorLayout& from, const Buffer& source,
              const TensorLayout& to, Buffer& target);

}  // namespace tileplan
