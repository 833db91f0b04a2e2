// SPDX-License-Identifier: Apache-2.0
// This file declares the inputs of predictions and of the functions that make schedules with given
// kernels, and a struct that holds the marks of a schedule with the prediction for them.
#pragma once

#include <variant>

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

/// Holds the inputs that all predictions for one computation on one machine share.
struct CostContext {
  const Computation& computation;
  /// Has only the cores that the plan uses.
  const Machine& machine;
  PredictionRules rules;
  /// Tells whether outputs may bypass the caches. They may only if sums are not added to outputs
  /// that exist already (beta is 0).
  bool may_stream;
  /// Tells whether the input and the output of a convolution may have any layouts.
  bool any_layout;
  /// Tells whether outputs crowd the last cache (cache_pressure.h). If the cache keeps them, only a
  /// measurement tells whether non-temporal stores are faster.
  bool crowds_caches;
  /// Tells whether the last cache is too small for all tensors, so that outputs leave it anyway.
  bool leaves_caches;

  CostContext(const Computation& of, const Machine& on, const Options& options)
      : computation(of),
        machine(on),
        rules(rules_of(options)),
        may_stream(options.epilogue.beta == 0),
        any_layout(options.layout == LayoutChoice::any &&
                   std::holds_alternative<ConvShape>(of.problem)),
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
