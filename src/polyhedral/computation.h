// SPDX-License-Identifier: Apache-2.0
// A problem becomes a domain and accesses, so that most other code need not know convolutions.
#pragma once

#include <vector>

#include "tensor_layout.h"

namespace tileplan {

/// Returns the computation of a problem, built as isl text, parsed, checked and read back from isl.
/// Throws Error for sizes that are invalid or too large, for relations that are not isl text or
/// exceed the limits of isl_limits.h, and for relations that are not rectangular, not affine with
/// positive factors, use an iterator in two indices of a tensor, or are not a product of two reads
/// accumulated into one write, whose indices must be single iterators or 0.
Computation computation_of(const Problem& problem);

/// Returns, for each of `boxes`, which start at the origin, the exact number of distinct values
/// that index number `data` of tensor `operand` takes in the box. isl counts them
/// (isl_set_count_val).
std::vector<std::int64_t> count_values(const Computation& computation, Operand operand,
                                       std::size_t data, const std::vector<Tile>& boxes);

}  // namespace tileplan
