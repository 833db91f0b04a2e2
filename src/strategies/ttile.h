// SPDX-License-Identifier: Apache-2.0
// This file lists and orders schedules as the TTile report does: data movement gives one loop
// order, all tile sizes complete it, and a metric chooses the schedules to measure.
#pragma once

#include <functional>

#include "exact.h"

namespace tileplan {

/// Holds the loop order that follows from the solver's real tile sizes. Microkernels with equal
/// sizes along the vectorised dimension and the reductions share one order.
struct TtilePermutation {
  /// Holds one index into OrderClasses::classes per cache, innermost first.
  std::vector<int> classes = {};
  /// Band l lists the dimensions that have a loop between the tiles T^l and T^(l+1) of
  /// models/README.md. T^0 is the register tile, and the last band lies outside the tiles of
  /// caches.
  std::vector<std::vector<Dim>> bands = {};
};

/// Returns the loop order for which data movement takes the least time at the slowest cache level,
/// with the best real tile sizes (movement_problem in mopt.h). Only the bands in which a dimension
/// has more than one trip are taken from these sizes. Returns nothing when the register tile does
/// not fit a cache, or when the solver finds no optimum.
std::optional<TtilePermutation> ttile_permutation(const Computation& computation,
                                                  const KernelCombo& kernels,
                                                  const OrderClasses& classes,
                                                  const Machine& machine);

/// Returns the tiles of all schedules with the loops of `permutation`. The trips of each dimension
/// are divided among its bands in every way. Example: 34 trips and one band have one way, and two
/// bands have four.
std::vector<PerLevelSchedule> ttile_completions(const Computation& computation,
                                                const TtilePermutation& permutation,
                                                const KernelCombo& kernels, const Tile& covered);

/// Returns the product of the trips of the loops over the first reduction dimension directly around
/// the register tile.
std::int64_t reduction_trips(const Computation& computation, const Schedule& schedule);

/// Returns the sum over all caches of the seconds in which data moves between the cache and the
/// next level. The volumes are those of the flat model, eq. (X) of models/README.md, and move at
/// CacheLevel::fill_bytes_per_second.
double movement_seconds(const Computation& computation, const Schedule& schedule,
                        const Machine& machine);

/// Returns the positions of the schedules to measure: the 40 % with the most reduction trips, and
/// all that have as many trips as the last of these. They are sorted by `cost`, the least first.
std::vector<std::size_t> ttile_order(const std::vector<std::int64_t>& trips,
                                     const std::function<double(std::size_t)>& cost);

}  // namespace tileplan
