// SPDX-License-Identifier: Apache-2.0
// Turns schedules into perfectly nested loops, for formats that have no uneven splits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "computation.h"

namespace tileplan {

/// A loop of `trips` steps over `step` iterations of `dim` each.
struct SplitLoop {
  Kind kind = Kind::tile;  ///< tile, parallel, unroll or vector
  std::string dim = {};
  std::int64_t trips = 1;
  std::int64_t step = 1;

  bool operator==(const SplitLoop&) const = default;
};

/// Return why a schedule is no such nest, or why a computation is no function of single output
/// loops.
std::optional<std::string> why_no_splits(const Schedule& schedule);
std::optional<std::string> why_no_splits(const Computation& computation);

/// Returns the loops of `schedule`, outermost first, without those of one trip. With 16 lanes,
/// [T(2,k), U(2,k), V(k)] is 2 steps of 32, 2 of 16 and 16 of 1.
std::vector<SplitLoop> split_loops(const Schedule& schedule, const Computation& computation,
                                   int lanes);

/// Returns in words the hints of `schedule`, which loops cannot say.
std::vector<std::string> marks_of(const Schedule& schedule);

/// Returns expressions like "2*h + r" for the indices of an access; channels of convolutions are
/// last.
std::vector<std::string> index_texts(const Computation& computation, const TensorAccess& tensor);

/// Returns the elements of each of these indices. Padding counts as if it were in memory.
std::vector<std::int64_t> index_extents(const Computation& computation, const TensorAccess& tensor);

}  // namespace tileplan
