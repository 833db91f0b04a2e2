// SPDX-License-Identifier: Apache-2.0
// Runs many seeds in several processes. A crash ends one process, is counted, and is reported with
// its seed.
#pragma once

#include <cstdint>

#include "features.h"

namespace tileplan::test {

/// Seeds first, first + 1, ... until `count` of them are done or `seconds` are over.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 3000;
  double seconds = 1e9;
  std::uint64_t peer_every = 9;  ///< oneDNN is asked for seeds that this divides
};

struct Tally {
  FeatureCounts features{};
  long run = 0;      ///< cases compiled, run and compared
  long refused = 0;  ///< drawn again because compile() has no such kernel
  long unfit = 0;    ///< seeds for which nothing compiled
  long failed = 0;   ///< wrong results and crashes
  long by_peer = 0;  ///< compared with oneDNN too
};

/// Runs `seeds` in one process per core that this process may use, and prints each failure with its
/// seed.
Tally run_seeds(const Seeds& seeds);

}  // namespace tileplan::test
