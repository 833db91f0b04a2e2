// SPDX-License-Identifier: Apache-2.0
// This header lists the choices that the caller of plan() makes.
#pragma once

#include <cstdint>
#include <string>

#include "tileplan/epilogue.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Restricts the activation layouts of a plan. `blocked` requires a blocked output, and a blocked
/// input too when the input has at least one full block of channels; otherwise the input is nhwc.
enum class LayoutChoice { any, nhwc, nchw, blocked };

/// Returns the choice that `text` names. Throws Error with the value and the known names.
LayoutChoice parse_layout_choice(const std::string& text);

/// Names the state of the caches when a measured kernel starts. `hot` leaves everything as the last
/// run left it, `cold_weights` flushes the weights, and `all_cold` flushes all tensors. Weights are
/// packed beforehand.
enum class Regime { hot, cold_weights, all_cold };

/// Returns "hot", "cold-weights" or "all-cold".
std::string to_string(Regime regime);
/// Returns the regime that `text` names. Throws Error with the value and the known names.
Regime parse_regime(const std::string& text);
/// Returns "hot caches", "cold weights" or "all caches cold".
std::string in_words(Regime regime);

/// Tells how much of a cache a tile may fill so that its data is reused (models/README.md eq. (C)).
enum class Capacity {
  ideal,  ///< One tile must fit, as if the cache evicted the data that is needed last.
  lru2,  ///< Two consecutive tiles must fit, because the cache evicts the least recently used line.
  /// One tile must fit, and each tensor takes whole ways of the cache, as in the BLIS model.
  ways,
};

/// Returns the rule that `text` names. Throws Error with the value and the known names.
Capacity parse_capacity(const std::string& text);

struct Options {
  /// The plan keeps this many candidates, best first, or `verify` of them if that is larger.
  /// Requires at least 1. A longer list only takes memory.
  int top = 10;
  /// This many best candidates are compiled, checked and measured. With 0, the model decides.
  int verify = 0;
  /// Measuring takes at most this long. Then the best candidate so far wins.
  double budget_seconds = 3;
  LayoutChoice layout = LayoutChoice::any;
  /// Measured runs start from this cache state. Predictions are always for hot caches.
  Regime regime = Regime::hot;
  /// This many threads share one execution, each on its own core. Requires at least 1 and at most
  /// Machine::cores. With 2 or more, candidates may have P loops.
  int threads = 1;
  /// The kernel computes the epilogue before its last store. Predictions ignore its traffic.
  Epilogue epilogue = {};
  /// The model uses this rule. `lru2` describes ordinary caches. `ideal` predicts too little
  /// traffic just above a capacity; `ways` does too, for operands that are used in turn.
  Capacity capacity = Capacity::lru2;
  /// If true, Certificate::band covers every choice of loop orders that single-level bounds do not
  /// prune, which takes seconds. Otherwise only the choices of the best schedules are covered.
  bool certify_full = false;
  /// This seeds the random tensors that measured kernels run on.
  std::uint64_t seed = 1;

  bool operator==(const Options&) const = default;
};

}  // namespace tileplan
