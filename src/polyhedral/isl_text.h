// SPDX-License-Identifier: Apache-2.0
// These functions write convolutions and matrix products as relations in isl text, so that all
// problems are read in one way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan {

/// Returns the domain, reads and writes of `problem` in isl text. A Relation is returned unchanged.
/// Throws Error for sizes below 1, groups that do not divide the channels and leading dimensions
/// shorter than a row.
Relation relation_text(const Problem& problem);

/// Returns the sizes of the unpadded input of a convolution, in the order of its indices. The
/// result is empty for other problems, whose sizes follow from the ranges of the indices.
std::vector<std::int64_t> stored_input_extents(const Problem& problem);

/// Returns `{ tuple[names] : 0 <= name < size and ... }`, with one bound per name.
std::string box_text(const std::string& tuple, const std::vector<std::string>& names,
                     const std::vector<std::int64_t>& size);

}  // namespace tileplan
