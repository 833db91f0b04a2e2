// SPDX-License-Identifier: Apache-2.0
// Tile -> distinct elements and cache lines touched, per tensor. models/README.md eq. (F2), (L1).
#pragma once

#include <cstdint>
#include <vector>

#include "computation.h"
#include "dims.h"

namespace tileplan {

/// Bit d is set when dim d occurs in the access: P_t. The other dims carry reuse.
std::uint32_t present_dims(const TensorAccess& tensor);

/// Distinct values of one data dim over the box `tile`; padding counts as physically there.
/// One iterator: its size. Two, with coefficients a, b and g = gcd(a, b), a' = a/g, b' = b/g:
/// card = Tx*Ty - max(0, Tx - b') * max(0, Ty - a'), exact for every size, stride and dilation
/// (F2). Three or more: exact; enumerates the value set where the terms neither nest nor fill an
/// interval. card of an empty box is 0. Requires coefficients other than 0.
std::int64_t card(const DataDim& data, const Tile& tile);

/// The same for real sizes: F2 by definition; three or more iterators: the posynomial upper bound
/// sum of a'*T, with a' = |a| over the gcd of all coefficients.
double card(const DataDim& data, const PerDim<double>& tile);

/// Distinct elements of `tensor` that the box touches: product of `card` over its data dims (C1).
std::int64_t footprint(const TensorAccess& tensor, const Tile& tile);
double footprint(const TensorAccess& tensor, const PerDim<double>& tile);

/// Last minus first value plus one of one data dim over the box: sum of |a|*(T-1), plus 1.
std::int64_t extent_of(const DataDim& data, const Tile& tile);

/// Expected cache lines of a run of `values` distinct elements spread over `extent` contiguous
/// ones, start uniformly random in a line of `line` elements: min(values, (extent + line - 1) /
/// line). (L1)
double expected_lines(double values, double extent, double line);

/// Expected cache lines of `tensor` over the box in `layout`, lines of `line` elements. The
/// contiguous data dim is rounded, the others multiply; a box that spans a whole contiguous dim is
/// merged with the next. Rounded by (L1), or up to whole lines when every tile starts on a line
/// boundary (the buffer itself does). Elements of the padding are in no line. Example: 16 channels
/// of 10x30 pixels in nhwc with 64 channels are 300 lines of 16 elements.
double lines(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile, double line);

/// Lines over which the contiguous pieces of the box reach, each on its own; pieces with no line
/// between them are one. Example: 10 pixels of 16 channels are 10 in blocks of 16, in nhwc with 64
/// channels 1.
double lines_in_a_row(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile,
                      double line);

/// How many lines of `lines`, counted from the start of one, lie in each of `sets` sets of a cache
/// indexed by addresses, of a box that starts at the first. Example: 16 pixels of one line in nhwc
/// with 512 channels are 8 in each of 2 of 64 sets. Requires: sets >= 1.
std::vector<std::int64_t> lines_in_sets(const TensorAccess& tensor, const TensorLayout& layout,
                                        const Tile& tile, std::int64_t line, std::int64_t sets);

}  // namespace tileplan
