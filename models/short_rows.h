// SPDX-License-Identifier: Apache-2.0
// Lines that hardware prefetchers do not bring: input that lies in short rows, far from each other.
// models/README.md eq. (M).
#pragma once

#include <cstddef>
#include <vector>

#include "computation.h"
#include "flat.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Where a link is, and its lines in elements.
struct Place {
  double line = 1;
  bool is_first = false;  ///< fills the innermost cache
  bool is_last = false;   ///< comes from memory
};

/// That of the link that fills cache `at`. Requires: lines of whole elements.
Place place_of(const std::vector<CacheLevel>& caches, std::size_t at, std::int64_t element_bytes);

/// Time of the input's lines on the link at `place`, over that of lines in long rows: 1 on the
/// innermost link and where rows are longer than two lines. A row is what lies side by side
/// in the box that the cache holds, or, of a box of few rows, in what the loop outside it walks:
/// prefetchers follow that many at a time. `traffic`: of the cache that it fills; `read`: the
/// layout that the microkernels read, so that what is packed counts as long rows; boxes no larger
/// than packed ones.
double scattered(const TensorAccess& input, const TensorLayout& read, const FlatTraffic& traffic,
                 const Place& place);

}  // namespace tileplan
