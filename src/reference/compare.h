// SPDX-License-Identifier: Apache-2.0
// Which outputs to compare with the reference, and the comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "computation.h"
#include "reference.h"
#include "tileplan/verify.h"

namespace tileplan {

/// Iterators at which tiles begin, per dim; 0 and the extent may be left out.
using TileStarts = PerDim<std::vector<std::int64_t>>;

/// Starts of equal tiles: 0, size, 2 size ... below `extent`. Requires: size >= 1.
std::vector<std::int64_t> tile_starts(std::int64_t extent, std::int64_t size);

/// What `choose_outputs` goes by.
struct OutputChoice {
  /// Outputs to compare; all when there are no more. More corners, borders and edges than that are
  /// cut.
  std::size_t count = 4096;
  std::uint64_t seed = 1;  ///< of the random ones
};

/// Different outputs in this order of preference: every corner of the output; on each border and on
/// both sides of each tile's start, points that are random in the other dims; random points. Sorted
/// by place.
std::vector<OutputPoint> choose_outputs(const Computation& computation, const TensorLayout& output,
                                        const TileStarts& starts, const OutputChoice& choice = {});

/// Multiply-adds per output: the product of the extents of the dims that are not in the output.
double reduction_length(const Computation& computation);

/// Largest error that counts as rounding: 4 epsilon (of the element type) sqrt(reduction length)
/// times the largest |expected|, or times sqrt(reduction length) / 3 when that is larger: the root
/// mean square of sums of products of numbers drawn uniformly from [-1, 1).
double tolerance(const Computation& computation, double largest_expected);

/// Compares every element that a kernel has to write, the zeros that pad the last block included.
/// Gaps between rows do not count. The tolerance goes with the largest |expected|, or with
/// `magnitude` when that is larger: the sums before an epilogue limited them. Requires: `got` and
/// `expected` have `output.elements`.
Check compare(const Computation& computation, const TensorLayout& output, const Values& got,
              std::span<const double> expected, double magnitude = 0);

/// Compares the elements of `got` at `points` with `expected`, in the same order.
Check compare_at(const Computation& computation, std::span<const OutputPoint> points,
                 const Values& got, std::span<const double> expected, double magnitude = 0);

/// Compares two results, neither of which is exact: each differs from the truth by a tolerance at
/// most, so they from each other by two. The tolerance is that of the largest |expected|, or of
/// `magnitude` when that is larger. Requires: equal types and sizes.
Check compare_results(const Computation& computation, const Values& got, const Values& expected,
                      double magnitude = 0);

}  // namespace tileplan
