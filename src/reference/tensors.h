// SPDX-License-Identifier: Apache-2.0
// Copies tensors from one layout to another.
#pragma once

#include <span>

#include "buffers.h"
#include "computation.h"

namespace tileplan {

/// Copies every element of `tensor` from one layout to another; padding of blocks becomes zero.
/// Requires: both buffers have the tensor's element type and the elements of their layouts.
void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const float> source,
              const TensorLayout& to, std::span<float> target);
void relayout(const TensorAccess& tensor, const TensorLayout& from, std::span<const double> source,
              const TensorLayout& to, std::span<double> target);
void relayout(const TensorAccess& tensor, const TensorLayout& from, const Buffer& source,
              const TensorLayout& to, Buffer& target);

}  // namespace tileplan
