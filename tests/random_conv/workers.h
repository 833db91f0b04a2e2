// SPDX-License-Identifier: Apache-2.0
// This file runs many seeds in several processes. A crash ends one process only, is counted, and is
// reported with its seed.
#pragma once

#include <cstdint>

#include "features.h"

namespace tileplan::test {

/// Describes a run of the seeds first, first + 1, ... that ends after `count` seeds or `seconds`.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 3000;
  double seconds = 1e9;
  std::uint64_t peer_every = 9;  ///< oneDNN also runs the seeds that are multiples of this.
};

struct Tally {
  FeatureCounts features{};
  long run = 0;      ///< Counts cases that were compiled, run and compared.
  long refused = 0;  ///< Counts draws that compile() refused.
  long unfit = 0;    ///< Counts seeds for which no draw compiled.
  long failed = 0;   ///< Counts wrong results and crashes.
  long by_peer = 0;  ///< Counts cases that oneDNN ran, too.
};

/// Runs `seeds` in one process per available core, prints each failure, and returns the counts.
Tally run_seeds(const Seeds& seeds);

}  // namespace tileplan::test
