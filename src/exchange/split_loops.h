// SPDX-License-Identifier: Apache-2.0
// Turns schedules into perfectly nested loops, for formats that have no uneven splits.
#pragma once

#include "computation.h"

namespace tileplan {

/// A loop makes `trips` steps over `step` iterations of `dim` each. Its kind is tile, parallel,
/// unroll or vector.
struct SplitLoop {
  Kind kind = Kind::tile;
  std::string dim = {};
  std::int64_t trips = 1, step = 1;

  bool operator==(const SplitLoop&) const = default;
};

/// Returns why the loops are not such a nest, or why an output index is no single loop, or nothing.
std::optional<std::string> why_no_splits(const Schedule& schedule, const Computation& computation);

/// Returns the loops of `schedule`, outermost first, without those of one trip. With 16 lanes,
/// [T(2,k), U(2,k), V(k)] is 2 steps of 32, 2 of 16 and 16 of 1.
std::vector<SplitLoop> split_loops(const Schedule& schedule, const Computation& computation,
                                   int lanes);

/// Returns the indices of an access, such as "2*h + r". Channels of convolutions are last.
std::vector<std::string> index_texts(const Computation& computation, const TensorAccess& tensor);

/// Returns the extents of these indices in elements. Padding counts as if it were in memory.
std::vector<std::int64_t> index_extents(const Computation& computation, const TensorAccess& tensor);

}  // namespace tileplan
