// SPDX-License-Identifier: Apache-2.0
// What a schedule prefetches, by the model: the rest of it is given.
#pragma once

#include <optional>

#include "capacity.h"
#include "computation.h"
#include "nest.h"
#include "tileplan/candidate.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"

namespace tileplan {

/// What predictions of one plan have in common.
struct Pricing {
  const Computation& computation;
  const Machine& machine;  ///< with the cores that are used
  Capacity capacity;
  bool accumulates;  ///< onto what the output holds: it must be read

  Pricing(const Computation& of, const Machine& on, const Options& options)
      : computation(of),
        machine(on),
        capacity(options.capacity),
        accumulates(options.epilogue.accumulate) {}

  /// What must fit in `cache`.
  CapacityRule rule_of(const CacheLevel& cache) const {
    return rule_for(capacity, cache, computation.element_bytes());
  }
};

/// Schedule::prefetch: the machine's when calls read their weights from beyond L1, because what one
/// call needs does not stay there until the next. `one`: the first branch of the nest.
int prefetch_of(const Pricing& pricing, const Nest& one);

/// The box that the second-level cache holds; nothing where the whole problem fits.
std::optional<Tile> second_level_box(const Pricing& pricing, const Nest& nest);

/// True when some link takes longer than the computation.
bool is_bound_by_link(const Prediction& prediction);

/// `schedule`, whose nest is `nest`, with the fastest of the loops whose weights or input may be
/// prefetched into a cache that holds `held` as Schedule::ahead; with none when there are none.
/// Prediction::bound_bytes stays 0. Throws Error as `predict` does.
Candidate with_ahead(const Pricing& pricing, Schedule schedule, const Nest& nest,
                     const std::optional<Tile>& held);

/// `candidate` without its Schedule::ahead and Schedule::prefetch where a link is the bottleneck,
/// to be measured beside it: beyond (Q) no model here tells whether they help or hinder hardware
/// prefetchers there. Products of 1 x 1024 outputs, Zen 4, 2026-11-22: `ahead` takes 1.24 of the
/// time for 512 terms (2 MB of weights), 0.98 for 2048 and, beside a neighbour in the L3, 0.56 for
/// 3276; `prefetch` 1.18, 1.13 and 1.04. Nothing elsewhere.
std::optional<Candidate> without_prefetches(const Pricing& pricing, const Candidate& candidate);

}  // namespace tileplan
