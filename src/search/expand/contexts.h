// SPDX-License-Identifier: Apache-2.0
// This file declares the inputs of a kernel combination's schedules and of predictions.
#pragma once

#include "cache_pressure.h"
#include "capacity.h"
#include "kernels.h"
#include "nest.h"
#include "orders.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Holds the inputs of the search whose schedules are expanded.
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
  const Machine& machine;  ///< The machine has only the cores that are used.
  Capacity capacity;
  bool may_stream;     ///< Streaming may pay (crowds_caches), and outputs are not accumulated.
  bool leaves_caches;  ///< The last cache cannot keep the outputs.

  CostContext(const Computation& of, const Machine& on, const Options& options)
      : computation(of),
        machine(on),
        capacity(options.capacity),
        may_stream(!options.epilogue.accumulate && crowds_caches(of, on, on.cores)),
        leaves_caches(tileplan::leaves_caches(of, on)) {}

  /// Returns the rule by which tiles must fit in `cache`.
  CapacityRule rule_of(const CacheLevel& cache) const {
    return rule_for(capacity, cache, computation.unit_bytes());
  }
};

/// Holds the marks of a nest and the prediction for the nest with these marks.
struct PredictedMarks {
  Marks marks;
  Prediction prediction;
};

}  // namespace tileplan
