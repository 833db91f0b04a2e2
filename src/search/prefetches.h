// SPDX-License-Identifier: Apache-2.0
// What a schedule prefetches, by the model: the rest of it is given.
#pragma once

#include <optional>

#include "computation.h"
#include "nest.h"
#include "tileplan/machine.h"
#include "tileplan/plan.h"

namespace tileplan {

/// What predictions of one plan have in common.
struct Pricing {
  const Computation& computation;
  const Machine& machine;  ///< with the cores that are used
  Capacity capacity = Capacity::lru2;
  bool accumulates = false;  ///< onto what the output holds: it must be read
};

/// Schedule::prefetch: the machine's when calls read their weights from beyond L1, because what one
/// call needs does not stay there until the next. `one`: the first branch of the nest.
int prefetch_of(const Pricing& pricing, const Nest& one);

/// The box that the second-level cache holds; nothing where the whole problem fits.
std::optional<Tile> second_level_box(const Pricing& pricing, const Nest& nest);

/// `schedule`, whose nest is `nest`, with the fastest of the loops whose weights or input may be
/// prefetched into a cache that holds `held` as Schedule::ahead; with none when there are none.
/// Prediction::bound_bytes stays 0. Throws Error as `predict` does.
Candidate with_ahead(const Pricing& pricing, Schedule schedule, const Nest& nest,
                     const std::optional<Tile>& held);

}  // namespace tileplan
