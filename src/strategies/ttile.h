// SPDX-License-Identifier: Apache-2.0
// This file lists and orders schedules as the TTile report does: data movement gives one loop
// order, all tile sizes complete it, and a metric chooses the schedules to measure.
#pragma once

#include <functional>

#include "exact.h"

namespace tileplan {

/// Holds the loop order that the relaxed tile sizes give for the kernels of one class.
struct TtilePermutation {
  std::vector<int> classes = {};  ///< The caches have these classes, innermost first.
  /// Band l lists the dims that have a loop between the tiles T^l and T^(l+1).
  std::vector<std::vector<Dim>> bands = {};
};

/// Returns the permutation with the least data movement over real tile sizes (movement_problem in
/// mopt.h). Its sizes are forgotten, apart from the bands in which a dim has more than one trip.
/// Returns nothing when the base box does not fit a cache.
std::optional<TtilePermutation> ttile_permutation(const Computation& computation,
                                                  const KernelCombo& kernels,
                                                  const OrderClasses& classes,
                                                  const Machine& machine);

/// Returns the tiles of all schedules with the loops of `permutation`: the trips of each dim are
/// divided among its bands in every way. Example: 34 rows and one band have one way, and two bands
/// have four.
std::vector<PerLevelSchedule> ttile_completions(const Computation& computation,
                                                const TtilePermutation& permutation,
                                                const KernelCombo& kernels, const Tile& covered);

/// Returns the trips of the loops over the first reduction dim directly around the register tile.
std::int64_t reduction_trips(const Computation& computation, const Schedule& schedule);

/// Returns the sum over all caches of the seconds in which a link moves what `schedule` loads in
/// the flat model, eq. (X).
double movement_seconds(const Computation& computation, const Schedule& schedule,
                        const Machine& machine);

/// Returns the places of the 40 % of the schedules with the most reduction trips, and of all that
/// have as many trips as the last of them. They are sorted by `cost`, the least first.
std::vector<std::size_t> ttile_order(const std::vector<std::int64_t>& trips,
                                     const std::function<double(std::size_t)>& cost);

}  // namespace tileplan
