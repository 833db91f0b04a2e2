// SPDX-License-Identifier: Apache-2.0
// Runs many seeds in several processes. A crash ends one process, is counted, and is reported with
// its seed.
#pragma once

#include <cstdint>

#include "features.h"

namespace tileplan::test {

/// Asks for the seeds first, first + 1, ... until `count` are done or `seconds` are over.
struct Seeds {
  std::uint64_t first = 1;
  std::uint64_t count = 3000;
  double seconds = 1e9;
  std::uint64_t peer_every = 9;  ///< oneDNN runs the seeds that this divides.
};

struct Tally {
  FeatureCounts features{};
  long run = 0;      ///< These cases were compiled, run and compared.
  long refused = 0;  ///< These were drawn again because compile() refused them.
  long unfit = 0;    ///< Nothing compiled for these seeds.
  long failed = 0;   ///< Wrong results and crashes are counted.
  long by_peer = 0;  ///< These cases were compared with oneDNN too.
};

/// Runs `seeds` in one process per core that this process may use, and prints each failure with its
/// seed.
Tally run_seeds(const Seeds& seeds);

}  // namespace tileplan::test
