// SPDX-License-Identifier: Apache-2.0
// This file defines the rules that the caller of a prediction chooses, and the traffic of one
// cache, from which predictions and explanations follow.
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
  FlatTraffic flat;  ///< Holds the traffic that the nest of view_of (cores.h) causes.
  /// Equals `flat`, but if the input is packed, the cut and the walked box of the input are clipped
  /// to one packed box.
  FlatTraffic in_box;
  /// Holds short_row_penalty of the input. It does not apply to a prefetched input.
  double input_slowness = 1;
  /// Holds short_row_penalty times many_pages_penalty of the weights, or 1 if they are packed or
  /// the cache is the innermost one.
  double weights_slowness = 1;
};

}  // namespace tileplan
