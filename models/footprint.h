// SPDX-License-Identifier: Apache-2.0
// These functions count the elements and cache lines of a tile: models/README.md eq. (F2), (L1).
#pragma once

#include <span>
#include <vector>

#include "computation.h"

namespace tileplan {

/// Returns the set of loop dimensions that occur in the access, P_t in models/README.md. Bit d
/// stands for dimension d. Loops over all other dimensions reuse the tensor.
std::uint32_t present_dims(const TensorAccess& tensor);

/// Returns the number of distinct values of one data dim, an index of a tensor, over the box
/// `tile`, padding included. An index of one iterator has as many values as the iterator's size.
/// Two iterators of sizes Tx and Ty with coefficients a and b have Tx*Ty - max(0, Tx - b') * max(0,
/// Ty - a') values, where a' = |a|/g, b' = |b|/g and g = gcd(a, b). This is exact for every size,
/// stride and dilation (F2). The count for more iterators is exact too, by enumeration where no
/// formula applies. Requires that no coefficient is 0.
std::int64_t card(const DataDim& data, const Tile& tile);

/// Returns the count (F2) for real sizes. With three or more iterators the result is a posynomial
/// upper bound: the sum of a'*T over iterators of size T and coefficient a, where a' is |a| divided
/// by the gcd of all coefficients.
double card(const DataDim& data, const PerDim<double>& tile);

/// Returns the number of distinct elements in the box. This is the product of `card` over the
/// indices of the tensor, because no dimension occurs in two of them (condition C1 in access.h).
std::int64_t footprint(const TensorAccess& tensor, const Tile& tile);
double footprint(const TensorAccess& tensor, const PerDim<double>& tile);

/// Describes the values coefficient * x with 0 <= x < size.
struct Multiples {
  std::int64_t coefficient, size;
};

/// Returns the distinct sums of `first` and one value of each term, in ascending order.
std::vector<std::int64_t> enumerate_sums(std::int64_t first, std::span<const Multiples> terms);

/// Returns the largest minus the smallest value over the box, plus 1: the sum of |a|*(T-1) over
/// iterators of size T and coefficient a, plus 1.
std::int64_t extent_of(const DataDim& data, const Tile& tile);

/// Returns the expected number of cache lines of `values` distinct elements that are spread over a
/// range of `extent` elements: min(values, (extent + line - 1) / line), eq. (L1). The range starts
/// anywhere in a cache line of `line` elements.
double expected_lines(double values, double extent, double line);

/// Returns the expected number of cache lines, of `line` elements each, that the box of `tensor`
/// touches in `layout`. The innermost contiguous piece follows (L1), or is rounded up when all
/// pieces of all tiles start at cache lines. The numbers of values on all other axes multiply it.
/// Example: 16 of 64 channels of 10x30 pixels in nhwc are 300 cache lines of 16 elements.
double lines(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile, double line);

/// Returns the length of one contiguous piece of the box in cache lines. Pieces with no cache line
/// between them count as one piece. Example: with 16 floats per cache line, 10 pixels of 16 of 64
/// channels have pieces of 10 cache lines in nChw16c and of 1 in nhwc.
double lines_in_a_row(const TensorAccess& tensor, const TensorLayout& layout, const Tile& tile,
                      double line);

/// Returns the number of cache lines of the box in each of the `sets` sets of a virtually indexed
/// cache. The box starts at the first set and at the start of a cache line. Requires sets >= 1.
/// Example: with 64 sets, 16 pixels of one cache line each in nhwc with 512 channels fill 8 cache
/// lines in each of 2 sets.
std::vector<std::int64_t> lines_in_sets(const TensorAccess& tensor, const TensorLayout& layout,
                                        const Tile& tile, std::int64_t line, std::int64_t sets);

}  // namespace tileplan
