// SPDX-License-Identifier: Apache-2.0
// This file runs many seeds in several processes. A crash ends only one process, and is counted and
// reported with the seed of the case.
#pragma once

#include <cstdint>

#include "features.h"

namespace tileplan::test {

/// Describes a run of the seeds first, first + 1, ... that ends after `count` seeds or `seconds`.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 3000;
  double seconds = 1e9;
  /// oneDNN also runs the f32 convolutions whose seeds are multiples of this number.
  std::uint64_t peer_every = 9;
};

struct Tally {
  FeatureCounts features{};
  long run = 0;      ///< Counts cases that were compiled, run and compared.
  long refused = 0;  ///< Counts random cases that compile() refused.
  long unfit = 0;    ///< Counts seeds for which no drawn case compiled.
  long failed = 0;   ///< Counts wrong results, exceptions and crashes.
  long by_peer = 0;  ///< Counts cases in which oneDNN agreed.
};

/// Runs `seeds` in one process per hardware thread, prints each failure, and returns the counts.
/// Throws std::runtime_error when memory cannot be shared or a process cannot be started.
Tally run_seeds(const Seeds& seeds);

}  // namespace tileplan::test
