// SPDX-License-Identifier: Apache-2.0
// The plain reference of a computation: every output, or chosen ones, summed in double.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "computation.h"
#include "dims.h"

namespace tileplan {

/// A tensor as a kernel sees it: elements in memory and where each index goes.
struct TensorView {
  std::span<const float> values;  ///< `layout.elements` of them
  TensorLayout layout;
};

/// The two operands of one execution.
struct Operands {
  TensorView input, weights;
};

/// Every element of the output, at its place in `output`; 0 where there is none (padding of blocks,
/// gaps between rows). Sums are in double. About 10^10 multiply-adds per second with AVX-512.
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

/// Where iteration `point` finds its element of `access` in memory; nothing in the padding.
/// Requires: `layout` has an axis for each data dim of `access`.
std::int64_t element_offset(const TensorAccess& access, const TensorLayout& layout,
                            const Tile& point);

/// The dims that occur in the output, and the others, in domain order.
std::vector<Dim> output_dims(const Computation& computation);
std::vector<Dim> reduction_dims(const Computation& computation);

/// Steps `point` through the box of `dims`, the last one fastest, all others fixed; false, and
/// zeros in `dims`, after the last.
bool advance(const Computation& computation, const std::vector<Dim>& dims, Tile& point);

}  // namespace tileplan
