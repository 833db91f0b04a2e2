// SPDX-License-Identifier: Apache-2.0
// The plain reference of a computation: every output, or chosen ones, summed more precisely than
// kernels do.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "computation.h"
#include "dims.h"
#include "reader.h"

namespace tileplan {

/// The two operands of one execution.
struct Operands {
  TensorView input, weights;
};

/// Every element of the output, at its place in `output`; 0 where there is none (padding of blocks,
/// gaps between rows). Sums of f32 are in double, about 10^10 multiply-adds per second with
/// AVX-512; those of f64 in long double, rounded once, about 3 ns per multiply-add.
/// Throws Error when an operand does not have the size of its layout.
std::vector<double> reference(const Computation& computation, const Operands& operands,
                              const TensorLayout& output);

/// One output: the iterators of the output's dims (those of the reduction are 0), and its place.
struct OutputPoint {
  Tile iterators;
  std::size_t offset = 0;
};

/// The exact values at `points`, in their order. About 3 ns per multiply-add. Requires: no two
/// iterations of the output's dims write the same element. Throws Error as `reference` does.
std::vector<double> expected_at(const Computation& computation, const Operands& operands,
                                std::span<const OutputPoint> points);

}  // namespace tileplan
