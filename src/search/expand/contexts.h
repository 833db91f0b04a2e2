// SPDX-License-Identifier: Apache-2.0
// This file declares the inputs of the expansion of a kernel combination, and of predictions.
#pragma once

#include "cache_pressure.h"
#include "capacity.h"
#include "cost.h"
#include "kernels.h"
#include "nest.h"
#include "orders.h"
#include "tileplan/plan.h"

namespace tileplan {

struct SearchContext {
  const Computation& computation;
  const KernelCombo& kernels;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
};

/// Holds the inputs that all predictions of one plan share.
struct CostContext {
  const Computation& computation;
  const Machine& machine;  ///< The machine has only the cores that the plan uses.
  PredictionRules rules;
  bool may_stream;     ///< If true, outputs are not accumulated, so they may bypass the caches.
  bool crowds_caches;  ///< If true, outputs crowd a cache that keeps them, so only a measurement
                       ///< tells whether streaming pays.
  bool leaves_caches;  ///< If true, the last cache is too small for the outputs.

  CostContext(const Computation& of, const Machine& on, const Options& options)
      : computation(of),
        machine(on),
        rules(rules_of(options)),
        may_stream(options.epilogue.beta == 0),
        crowds_caches(tileplan::crowds_caches(of, on, on.cores)),
        leaves_caches(tileplan::leaves_caches(of, on)) {}

  CapacityRule rule_of(const CacheLevel& cache) const {
    return rule_for(rules.capacity, cache, computation.unit_bytes());
  }
};

struct PredictedMarks {
  Marks marks;
  Prediction prediction;
};

}  // namespace tileplan
