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

/// Returns why `schedule` is no such nest: an uneven split, packing. Returns nothing when it is
/// one.
std::optional<std::string> why_no_splits(const Schedule& schedule);

/// Returns why no function of the output's indices is `computation`: an index that is no single
/// loop, as with groups of channels. Returns nothing when one is.
std::optional<std::string> why_no_splits(const Computation& computation);

/// Returns the loops of `schedule`, outermost first, without those of one trip. The vectorised
/// extent is rounded up to whole vectors of `lanes`. Requires that there is no reason against it.
/// Example: 64 channels as [T(2,k), U(2,k), V(k)] with 16 lanes are 2 steps of 32, 2 of 16, 16
/// of 1.
std::vector<SplitLoop> split_loops(const Schedule& schedule, const Computation& computation,
                                   int lanes);

/// Returns in words the hints of `schedule`, which loops cannot say.
std::vector<std::string> marks_of(const Schedule& schedule);

/// Returns expressions like "2*h + r" for the indices of an access, outermost first. For
/// convolutions the channels are last, which for the input are the first reduction.
std::vector<std::string> index_texts(const Computation& computation, const TensorAccess& tensor);

/// Returns the elements of each of these indices. Padding counts as if it were in memory.
std::vector<std::int64_t> index_extents(const Computation& computation, const TensorAccess& tensor);

}  // namespace tileplan
