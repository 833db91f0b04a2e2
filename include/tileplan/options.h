// SPDX-License-Identifier: Apache-2.0
// The caller of plan() makes these choices.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/epilogue.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names the activation layouts that a plan may choose. `blocked` asks for a blocked output, and
/// for a blocked input too when the input has at least one block of channels (else it is nhwc).
enum class LayoutChoice { any, nhwc, nchw, blocked };

/// Names the state of the caches when a measured kernel starts. `hot` leaves everything as the last
/// run left it, `cold_weights` flushes the weights, and `all_cold` flushes all tensors. Weights are
/// packed beforehand.
enum class Regime { hot, cold_weights, all_cold };

/// Returns "hot", "cold-weights" or "all-cold".
std::string to_string(Regime regime);
/// Returns the regime that `text` names. Throws Error with the value and the known names.
Regime parse_regime(const std::string& text);

/// Tells which tiles must fit in a cache to be reused from it (models/README.md eq. (C)).
enum class Capacity {
  ideal,  ///< One tile must fit, because the cache evicts what is needed last.
  lru2,  ///< Two consecutive tiles must fit, because the cache evicts the least recently used line.
  ways,  ///< One tile must fit, each tensor in whole ways of its own, as BLIS counts operands.
};

struct Options {
  /// The plan keeps so many candidates, best first, or `verify` of them if that is larger. It is at
  /// least 1. A longer list takes only memory.
  int top = 10;
  /// So many of the best candidates are compiled, checked and measured. With 0, the model decides.
  int verify = 0;
  /// Measuring one problem may take so many seconds. Then the best candidate so far wins.
  double budget_seconds = 3;
  LayoutChoice layout = LayoutChoice::any;
  /// It is the cache state of the measurements. Predictions are always for hot caches.
  Regime regime = Regime::hot;
  /// So many threads share one execution, each on its own core. There are 1 to the cores of the
  /// machine. From 2 on, candidates may have P loops.
  int threads = 1;
  /// It is fused into the last store of the kernel. Predictions do not count its bytes.
  Epilogue epilogue = {};
  /// It is the capacity rule of the model. `lru2` describes ordinary caches. `ideal` predicts too
  /// little traffic just above a capacity, and so does `ways` for operands that are used in turn.
  Capacity capacity = Capacity::lru2;
  /// If true, the relaxation is solved for every tuple of loop-order classes that single-level
  /// bounds do not prune, which takes seconds. Otherwise it is solved for the best schedules.
  bool certify_full = false;
  /// It seeds the random tensors that measurements run on.
  std::uint64_t seed = 1;

  bool operator==(const Options&) const = default;
};

}  // namespace tileplan
