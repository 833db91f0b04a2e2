// SPDX-License-Identifier: Apache-2.0
// Tile -> distinct elements and cache lines touched, per tensor. models/README.md eq. (F2), (L1).
#pragma once

#include <cstdint>

#include "dims.h"
#include "computation.h"

namespace tileplan {

/// Distinct values of one data dim over the box `tile`; padding counts as physically there.
/// One iterator: its size. Two, with coefficients a, b and g = gcd(a, b), a' = a/g, b' = b/g:
/// card = Tx*Ty - max(0, Tx - b') * max(0, Ty - a'), exact for every size, stride and dilation (F2).
/// Three or more: exact by enumeration of the value set. card of an empty box is 0.
std::int64_t card(const DataDim& data, const Tile& tile);

/// The same for real sizes: F2 by definition; three or more iterators: the posynomial upper bound.
double card(const DataDim& data, const PerDim<double>& tile);

/// Distinct elements of `tensor` that the box touches: product of `card` over its data dims (C1).
std::int64_t footprint(const TensorAccess& tensor, const Tile& tile);
double footprint(const TensorAccess& tensor, const PerDim<double>& tile);

/// Last minus first value plus one of one data dim over the box: sum of |a|*(T-1), plus 1.
std::int64_t extent_of(const DataDim& data, const Tile& tile);

/// Expected cache lines of a run of `values` distinct elements spread over `extent` contiguous ones,
/// start uniformly random in a line of `line` elements: min(values, (extent + line - 1) / line). (L1)
double expected_lines(double values, double extent, double line);

/// ceil(extent / line): start aligned, rows line-aligned.
std::int64_t aligned_lines(std::int64_t extent, std::int64_t line);

/// Expected cache lines of `tensor` over the box in `layout`, lines of `line` elements. The contiguous data dim is
/// rounded by (L1), the others multiply; a box that spans a whole contiguous dim is merged with the next.
double lines(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile, double line);

}  // namespace tileplan
