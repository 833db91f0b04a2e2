// SPDX-License-Identifier: Apache-2.0
// A schedule as perfectly nested loops over splits: what formats without uneven splits can say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "computation.h"

namespace tileplan {

/// `trips` steps of `step` iterations of `dim`.
struct SplitLoop {
  Kind kind = Kind::tile;  ///< tile, parallel, unroll or vector
  std::string dim = {};
  std::int64_t trips = 1;
  std::int64_t step = 1;

  bool operator==(const SplitLoop&) const = default;
};

/// Why `schedule` is not such loops: an uneven split, packing. Nothing when it is.
std::optional<std::string> why_no_splits(const Schedule& schedule);

/// Why no function of the output's indices is `computation`: an index that is no single loop, as
/// with groups of channels.
std::optional<std::string> why_no_splits(const Computation& computation);

/// The loops of `schedule`, outermost first, those of one trip left out. The vectorised extent
/// counts as rounded up to whole vectors of `lanes`. Requires: no reason against it, a schedule of
/// `computation`. Example: 64 channels as [T(2,k), U(2,k), V(k)] with 16 lanes are 2 steps of 32, 2
/// of 16, 16 of 1.
std::vector<SplitLoop> split_loops(const Schedule& schedule, const Computation& computation,
                                   int lanes);

/// What `schedule` says that loops do not: hints and blocked layouts, in words.
std::vector<std::string> marks_of(const Schedule& schedule);

/// Expressions like "2*h + r" for the indices of an access, outermost first: those of channels
/// (of the first tensor: of the first reduction) last, the others in the order of the access.
std::vector<std::string> index_texts(const Computation& computation, const TensorAccess& tensor);

/// Elements of each of these indices, padding counted as physically there.
std::vector<std::int64_t> index_extents(const Computation& computation, const TensorAccess& tensor);

}  // namespace tileplan
