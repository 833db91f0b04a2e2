// SPDX-License-Identifier: Apache-2.0
// These functions count elements and cache lines of a tile: models/README.md eq. (F2), (L1).
#pragma once

#include <span>
#include <vector>

#include "computation.h"

namespace tileplan {

/// Returns P_t as bits: bit d is set when dim d occurs in the access. The other dims carry reuse.
std::uint32_t present_dims(const TensorAccess& tensor);

/// Returns the distinct values of one data dim over the box `tile`. Padding counts as physically
/// there. One iterator has as many values as its size. Two, with coefficients a, b and
/// g = gcd(a, b), a' = a/g, b' = b/g, have Tx*Ty - max(0, Tx - b') * max(0, Ty - a'), which is
/// exact for every size, stride and dilation (F2). Three or more are exact too: where the terms
/// neither nest nor fill an interval, the values are enumerated. Requires coefficients except 0.
std::int64_t card(const DataDim& data, const Tile& tile);

/// Returns (F2) for real sizes. Three or more iterators give the posynomial upper bound, the sum of
/// a'*T, with a' = |a| / gcd of all coefficients.
double card(const DataDim& data, const PerDim<double>& tile);

/// Returns the distinct elements that the box touches: `card` multiplied over data dims (C1).
std::int64_t footprint(const TensorAccess& tensor, const Tile& tile);
double footprint(const TensorAccess& tensor, const PerDim<double>& tile);

/// Holds the values coefficient * x with 0 <= x < size.
struct Multiples {
  std::int64_t coefficient, size;
};

/// Returns the distinct sums of `first` and one value of each of `terms`, ascending.
std::vector<std::int64_t> enumerate_sums(std::int64_t first, std::span<const Multiples> terms);

/// Returns the last minus the first value over the box, plus 1: sum of |a|*(T-1) plus 1.
std::int64_t extent_of(const DataDim& data, const Tile& tile);

/// Returns the expected cache lines of `values` distinct elements spread over `extent` contiguous
/// ones that start anywhere in a cache line of `line` elements:
/// min(values, (extent + line - 1) / line) (L1).
double expected_lines(double values, double extent, double line);

/// Returns the expected cache lines, of `line` elements each, that `tensor` has in `layout` over
/// the box. The contiguous data dim is rounded and the others multiply. A box that spans a whole
/// contiguous dim is merged with the next. Rounding follows (L1), or goes up to whole cache lines
/// when every tile starts at one, as the buffer itself does. Padding is in no cache line.
/// Example: 16 of 64 channels of 10x30 pixels in nhwc are 300 cache lines of 16 elements.
double lines(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile, double line);

/// Returns the length of one contiguous piece of the box in cache lines. Pieces with no cache line
/// between them are one. Example: 10 pixels of 16 of 64 channels span 10 in blocks, 1 in nhwc.
double lines_in_a_row(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile,
                      double line);

/// Returns the number of cache lines of the box in each of `sets` sets of a cache that addresses
/// index. The box starts at the first set and at the start of a cache line. Requires sets >= 1.
/// Example: 16 pixels of one cache line in nhwc with 512 channels are 8 in each of 2 of 64 sets.
std::vector<std::int64_t> lines_in_sets(const TensorAccess& tensor, const TensorLayout& layout,
                                        const Tile& tile, std::int64_t line, std::int64_t sets);

}  // namespace tileplan
