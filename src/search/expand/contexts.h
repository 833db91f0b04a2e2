// SPDX-License-Identifier: Apache-2.0
// This file holds what the schedules of one kernel combination, and the predictions of one plan,
// have in common.
#pragma once

#include "cache_pressure.h"
#include "capacity.h"
#include "kernels.h"
#include "nest.h"
#include "orders.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Holds what the search knew when it found the band schedules that are expanded.
struct SearchContext {
  const Computation& computation;
  const KernelCombo& kernels;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
};

/// Holds what predictions need beside a nest and its marks.
struct CostContext {
  const Computation& computation;
  const Machine& machine;  ///< with the cores that are used
  Capacity capacity;
  bool may_stream;     ///< outputs crowd the caches, and nothing is added to what they hold
  bool leaves_caches;  ///< outputs leave the caches anyway

  CostContext(const Computation& of, const Machine& on, const Options& options)
      : computation(of),
        machine(on),
        capacity(options.capacity),
        may_stream(!options.epilogue.accumulate && crowds_caches(of, on, on.cores)),
        leaves_caches(tileplan::leaves_caches(of, on)) {}

  /// Returns what must fit in `cache`.
  CapacityRule rule_of(const CacheLevel& cache) const {
    return rule_for(capacity, cache, computation.unit_bytes());
  }
};

/// Holds the marks of a nest and the prediction for both.
struct PredictedMarks {
  Marks marks;
  Prediction prediction;
};

}  // namespace tileplan
