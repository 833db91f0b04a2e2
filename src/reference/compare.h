// SPDX-License-Identifier: Apache-2.0
// Chooses outputs to compare with the reference, and compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "computation.h"
#include "reference.h"
#include "tileplan/verify.h"

namespace tileplan {

/// Holds the iterators at which tiles begin, per dim. The lists need not contain 0 and the extent.
using TileStarts = PerDim<std::vector<std::int64_t>>;

/// Returns the starts of equal tiles: 0, size, 2 size ... below `extent`. Requires: size >= 1.
std::vector<std::int64_t> tile_starts(std::int64_t extent, std::int64_t size);

struct OutputChoice {
  std::size_t count = 4096;  ///< If the tensor has fewer outputs, all are compared.
  std::uint64_t seed = 1;    ///< This seed determines the random outputs.
};

/// Returns distinct outputs, sorted by position. The choice prefers corners of the output, then
/// points on a border or next to a tile start whose other dims are random, and then random points.
std::vector<OutputPoint> choose_outputs(const Computation& computation, const TensorLayout& output,
                                        const TileStarts& starts, const OutputChoice& choice = {});

/// Returns the number of multiply-adds per output, the product of all extents of reduction dims.
double reduction_length(const Computation& computation);

/// Returns the largest error that counts as rounding: 4 epsilon sqrt(length) times the larger of
/// the largest |expected| and sqrt(length) / 3, the root mean square of sums of random products.
double tolerance(const Computation& computation, double largest_expected);

/// Compares every element that a kernel writes, zeros of the last block included. A larger
/// `magnitude`, the largest |sum| before limits, raises the tolerance. Requires: both have
/// `output.elements` values.
Check compare(const Computation& computation, const TensorLayout& output, const Values& got,
              std::span<const double> expected, double magnitude = 0);

/// Compares the elements of `got` at `points` with `expected`, which has the order of `points`.
Check compare_at(const Computation& computation, std::span<const OutputPoint> points,
                 const Values& got, std::span<const double> expected, double magnitude = 0);

/// Compares two results, neither of which is exact. The tolerance is doubled, because each result
/// may be off by one tolerance. Requires: equal types and sizes.
Check compare_results(const Computation& computation, const Values& got, const Values& expected,
                      double magnitude = 0);

}  // namespace tileplan
