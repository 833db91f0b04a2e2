// SPDX-License-Identifier: Apache-2.0
// Slows down input in short rows, which hardware prefetchers miss. models/README.md eq. (M).
#pragma once

#include <vector>

#include "flat.h"

namespace tileplan {

/// Returns the time of the input's lines on the link that fills cache `at`, over that of lines in
/// long rows. It is 1 on the innermost link and where rows are longer than two lines. A row is what
/// lies side by side in the box that the cache holds. When that box has few rows, prefetchers
/// follow all of them, and a row is what the loop outside the box walks. `read` is the layout that
/// the microkernels read, so that packed boxes count as long rows.
double short_row_penalty(const TensorAccess& input, const TensorLayout& read,
                         const FlatTraffic& traffic, const std::vector<CacheLevel>& caches,
                         std::size_t at);

}  // namespace tileplan
