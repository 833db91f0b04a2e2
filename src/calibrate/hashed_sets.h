// SPDX-License-Identifier: Apache-2.0
// This file finds out how a cache selects the set of a cache line.
#pragma once

#include <cstddef>
#include <vector>

#include "tileplan/machine.h"
#include "timer.h"

namespace tileplan {

/// Returns the offsets, in bytes, of one line in each of `pages` pages, which are two pages apart.
/// The first pages have it at their first position, the next ones at the next of `positions`
/// positions. Requires `positions` <= `pages`.
std::vector<std::size_t> line_offsets(std::size_t pages, std::size_t positions,
                                      std::size_t line_bytes);

/// Returns true when a hash of the address selects the set of a line in `cache`, the second level
/// of this host. With a hash, the cache holds one line at the same position of each page, for twice
/// as many pages as fill it. Without a hash, these lines share the sets of one position, which hold
/// at most half of them.
bool has_hashed_sets(const CacheLevel& cache, const Clock& clock);

}  // namespace tileplan
