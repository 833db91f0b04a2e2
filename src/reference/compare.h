// SPDX-License-Identifier: Apache-2.0
// This file chooses outputs to compare with the reference, and compares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "computation.h"
#include "reference.h"
#include "tileplan/verify.h"

namespace tileplan {

/// Lists, for each dimension, the indices at which tiles begin. 0 and the extent may be missing.
using TileStarts = PerDim<std::vector<std::int64_t>>;

/// Returns the starts of tiles of `size`: 0, size, 2 size ..., below `extent`. Requires that size
/// >= 1.
std::vector<std::int64_t> tile_starts(std::int64_t extent, std::int64_t size);

struct OutputChoice {
  /// This many outputs are chosen, or all if the tensor has fewer. All corners of the tensor are
  /// chosen even if they are more.
  std::size_t count = 4096;
  std::uint64_t seed = 1;  ///< Seeds the choice of random outputs.
};

/// Returns distinct outputs, sorted by position. Corners of the output are chosen first, then
/// points on a border or next to a tile start, and then random points.
std::vector<OutputPoint> choose_outputs(const Computation& computation, const TensorLayout& output,
                                        const TileStarts& starts, const OutputChoice& choice = {});

/// Returns the number of multiply-adds per output, which is the product of the reduction extents.
double reduction_length(const Computation& computation);

/// Returns the largest error that counts as rounding, which is 0 for integers. For real numbers it
/// is 4 epsilon sqrt(length) max(largest_expected, sqrt(length) / 3), where length is
/// reduction_length(), epsilon is that of the sums (f32, or f64 for f64), and sqrt(length) / 3 is
/// the root mean square of sums of random products. For outputs in bf16 or f16, it is larger by the
/// epsilon of this type times the largest result.
double tolerance(const Computation& computation, double largest_expected);

/// Compares all elements that a kernel writes, including zeros of the last block. `magnitude`,
/// which apply_epilogue() returns, can raise the tolerance. Requires that `got` and `expected` have
/// output.elements values.
Check compare(const Computation& computation, const TensorLayout& output, const Values& got,
              std::span<const double> expected, double magnitude = 0);

/// Compares as compare() does, but each output has a tolerance of its own, and equal infinities
/// count as an infinite error. The result describes the output whose error is the largest share of
/// its tolerance. Requires that `got` holds f32 and that `tolerances` has the size of `expected`.
/// Padding is compared too, with the tolerances there.
Check compare_within(const Computation& computation, const TensorLayout& output, const Values& got,
                     std::span<const double> expected, std::span<const double> tolerances);

/// Compares the elements of `got` at `points` with `expected`, which has the order of `points`.
/// `magnitude` can raise the tolerance as in compare().
Check compare_at(const Computation& computation, std::span<const OutputPoint> points,
                 const Values& got, std::span<const double> expected, double magnitude = 0);

/// Compares two inexact results. The tolerance is doubled, because both may be off by one
/// tolerance, and `magnitude` can raise it as in compare(). Requires that types and sizes are
/// equal.
Check compare_results(const Computation& computation, const Values& got, const Values& expected,
                      double magnitude = 0);

}  // namespace tileplan
