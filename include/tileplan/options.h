// SPDX-License-Identifier: Apache-2.0
// The choices that the caller of plan() makes.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/epilogue.h"

namespace tileplan {

/// Which activation layouts may be chosen. `blocked`: blocked output, and blocked input when there
/// is at least one block of channels, else nhwc.
enum class LayoutChoice { any, nhwc, nchw, blocked };

/// State of the caches when a measured kernel starts: everything as its last run left it, the
/// weights flushed, or all tensors flushed. Weights are packed before in all of them.
enum class Regime { hot, cold_weights, all_cold };

/// "hot", "cold-weights", "all-cold".
std::string to_string(Regime regime);
/// Throws Error with the value and the rule.
Regime parse_regime(const std::string& text);

/// What must fit in a cache so that a tile is reused from it (models/README.md eq. (C)).
enum class Capacity {
  ideal,  ///< one tile: a cache that evicts what is needed last
  lru2,   ///< two consecutive tiles: one that evicts what was used longest ago
  ways,   ///< one tile, each tensor in whole ways of its own: packed operands, as BLIS counts
};

struct Options {
  /// Candidates kept in the plan, best first, or `verify` where that is more. More cost nothing but
  /// room. At least 1.
  int top = 10;
  /// Best candidates that are compiled, checked and measured; 0: none, the model decides. Each
  /// costs about 0.2 s.
  int verify = 0;
  /// Seconds that measuring one problem may take; the best so far is kept when they are over.
  double budget_seconds = 3;
  LayoutChoice layout = LayoutChoice::any;
  /// Of the measurements; predictions are for hot caches.
  Regime regime = Regime::hot;
  /// Threads that share one execution, each on a core of its own: schedules with P loops are among
  /// the candidates from 2 on. 1 to the cores of the machine.
  int threads = 1;
  /// Fused into the last store of the kernel. Predictions do not count its bytes.
  Epilogue epilogue = {};
  /// What must fit in a cache. `lru2` is what caches do that are not packed for; `ideal` is up to
  /// 2.4 times too optimistic about traffic just above a capacity, `ways` for operands in turn. The
  /// same cost.
  Capacity capacity = Capacity::lru2;
  /// Solve the relaxation for every class tuple that single-level bounds do not prune, not only for
  /// those of the best schedules. Seconds instead of milliseconds.
  bool certify_full = false;
  /// Seed of the random numbers that fill the tensors when measuring.
  std::uint64_t seed = 1;

  bool operator==(const Options&) const = default;
};

}  // namespace tileplan
