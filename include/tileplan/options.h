// SPDX-License-Identifier: Apache-2.0
// These are the choices that the caller of plan() makes.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/epilogue.h"

namespace tileplan {

/// The activation layouts that a plan may choose. `blocked` asks for a blocked output, and for a
/// blocked input too when the input has at least one block of channels (else it is nhwc).
enum class LayoutChoice { any, nhwc, nchw, blocked };

/// The state of the caches when a measured kernel starts. `hot` leaves everything as the last run
/// left it, `cold_weights` flushes the weights, and `all_cold` flushes all tensors. Weights are
/// packed beforehand.
enum class Regime { hot, cold_weights, all_cold };

/// Returns "hot", "cold-weights" or "all-cold".
std::string to_string(Regime regime);
/// Returns the regime that `text` names. Throws Error with the value and the known names.
Regime parse_regime(const std::string& text);

/// The tiles that must fit in a cache to be reused from it (models/README.md eq. (C)).
enum class Capacity {
  ideal,  ///< one tile, as in a cache that evicts what is needed last
  lru2,   ///< two consecutive tiles, as in a cache that evicts the least recently used line
  ways,   ///< one tile, each tensor in whole ways of its own, as BLIS counts packed operands
};

struct Options {
  /// Candidates kept in the plan, best first; `verify` where that is larger. At least 1. A longer
  /// list takes only memory.
  int top = 10;
  /// Best candidates that are compiled, checked and measured, about 0.2 s each. With 0, the model
  /// alone decides.
  int verify = 0;
  /// Seconds that measuring one problem may take. The best candidate so far wins when they are
  /// over.
  double budget_seconds = 3;
  LayoutChoice layout = LayoutChoice::any;
  /// Cache state of the measurements. Predictions are always for hot caches.
  Regime regime = Regime::hot;
  /// Threads that share one execution, each on its own core: 1 to the cores of the machine. From 2
  /// on, candidates may have P loops.
  int threads = 1;
  /// Operations fused into the last store of the kernel. Predictions do not count their bytes.
  Epilogue epilogue = {};
  /// Capacity rule of the model; all rules take the same time. `lru2` describes ordinary caches.
  /// `ideal` predicts up to 2.4 times too little traffic just above a capacity, and so does `ways`
  /// for operands that are used in turn.
  Capacity capacity = Capacity::lru2;
  /// Solves the relaxation for every tuple of loop-order classes that single-level bounds do not
  /// prune, instead of those of the best schedules alone. Takes seconds instead of milliseconds.
  bool certify_full = false;
  /// Seed of the random tensors that measurements run on.
  std::uint64_t seed = 1;

  bool operator==(const Options&) const = default;
};

}  // namespace tileplan
