// SPDX-License-Identifier: Apache-2.0
// This file defines the values that predictions and the traffic of their caches share.
#pragma once

#include "flat.h"
#include "tileplan/options.h"

namespace tileplan {

/// Selects the rule by which boxes fit in a cache, and the state of the caches before a run.
struct PredictionRules {
  Capacity capacity = Capacity::lru2;
  Regime regime = Regime::hot;
};

inline PredictionRules rules_of(const Options& options) {
  return {options.capacity, options.regime};
}

struct CacheTraffic {
  FlatTraffic flat;             ///< The nest that view_of (cores.h) returns causes this traffic.
  FlatTraffic in_box;           ///< This is `flat` with boxes clipped to the packed box.
  double input_slowness = 1;    ///< This is short_row_penalty, or 1 for prefetched input.
  double weights_slowness = 1;  ///< This is short_row_penalty, or 1 for packed weights.
};

}  // namespace tileplan
