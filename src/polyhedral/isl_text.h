// SPDX-License-Identifier: Apache-2.0
// Problem -> isl text: the one place that knows what a convolution and a matrix product are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan {

/// What `problem` computes as domain, reads and writes in isl text. A Relation is returned as it
/// is. Throws Error for sizes below 1, groups that do not divide the channels and leading
/// dimensions shorter than a row.
Relation relation_text(const Problem& problem);

/// Sizes of the arrays behind the first read, where they are not the range of the indices: the
/// unpadded input of a convolution, in the order of its data dims. Empty: the range of the indices.
std::vector<std::int64_t> stored_input_extents(const Problem& problem);

/// `{ tuple[names] : lower <= name < lower + size and ... }`, one bound per name.
std::string box_text(const std::string& tuple, const std::vector<std::string>& names,
                     const std::vector<std::int64_t>& lower, const std::vector<std::int64_t>& size);

}  // namespace tileplan
