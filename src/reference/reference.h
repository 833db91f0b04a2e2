// SPDX-License-Identifier: Apache-2.0
// Computes the plain reference of a computation, which sums more precisely than kernels do.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "computation.h"
#include "dims.h"
#include "reader.h"

namespace tileplan {

struct Operands {
  TensorView input, weights;
};

/// Returns the output in its layout, with zeros in padding and gaps. Sums of f32 are in double,
/// sums of f64 in long double. Throws Error when an operand does not have the size of its layout.
std::vector<double> reference(const Computation& computation, const Operands& operands,
                              const TensorLayout& output);

/// Names one output by its iterators, which are 0 in reduction dims, and by its position.
struct OutputPoint {
  Tile iterators;
  std::size_t offset = 0;
};

/// Returns the exact values at `points`, in their order. A multiply-add takes about 3 ns. Requires:
/// no two iterations of the output's dims write the same element. Throws Error as `reference` does.
std::vector<double> expected_at(const Computation& computation, const Operands& operands,
                                std::span<const OutputPoint> points);

}  // namespace tileplan
