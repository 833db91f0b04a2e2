// SPDX-License-Identifier: Apache-2.0
// This file names the operation of MLIR's dialect linalg that computes a problem, and tells which
// schedules can tile it.
#pragma once

#include <algorithm>
#include <array>

#include "computation.h"

namespace tileplan {

struct LinalgOperation {
  std::string name = {};  ///< An example is "linalg.matmul".
  /// Lists the dimensions of the operation. A dimension of extent 1 may be missing.
  std::vector<std::optional<Dim>> dims = {};
  /// Holds the extents of input, weights and output, in this order.
  std::array<std::vector<std::int64_t>, 3> shapes;
  std::string attributes = {};  ///< Holds the strides and dilations of a convolution as text.

  /// Returns the position of `dim` in `dims`, or the number of `dims` if it is missing.
  std::size_t position_of(Dim dim) const {
    return static_cast<std::size_t>(std::ranges::find(dims, dim) - dims.begin());
  }
};

/// Returns true for ungrouped 1-D and 2-D convolutions whose computation has all loops n, h, w, k,
/// r, s and c, none of which is merged with another.
bool is_linalg_conv(const Computation& computation);

/// Returns the reason why `schedule` cannot tile a named operation of linalg on plain tensors, or
/// nothing if it can.
std::optional<std::string> why_no_linalg(const Schedule& schedule, const Computation& computation,
                                         int lanes);

/// Returns linalg.conv_2d_nhwc_hwcf or linalg.matmul. Requires: why_no_linalg() returns nothing.
LinalgOperation linalg_operation(const Computation& computation);

/// Returns a text such as "tensor<64x32xf32>". A negative size stands for an unknown one and is
/// written as "?".
std::string tensor_type(const std::vector<std::int64_t>& shape, ElementType type);

}  // namespace tileplan
