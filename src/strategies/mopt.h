// SPDX-License-Identifier: Apache-2.0
// This file selects tile sizes and loop orders as "Analytical Characterization and Design Space
// Exploration for Optimization of CNNs" (MOpt) does.
#pragma once

#include "exact.h"
#include "relax_problem.h"

namespace tileplan {

/// Returns MOpt's minimisation problem for one microkernel. The cost is the largest time of any
/// cache level, which is its data volume divided by its bandwidth. The footprints of one tile may
/// fill the whole capacity of a cache. Posynomials bound the extents of windows. The caller sets
/// `orders`.
RelaxProblem movement_problem(const Computation& computation, const KernelCombo& kernels,
                              const Machine& machine);

/// Returns all ways to choose one of `classes` classes of loop orders per level. Example: two
/// classes and two levels give 0 0, 1 0, 0 1 and 1 1.
std::vector<std::vector<int>> class_choices(std::size_t classes, std::size_t levels);

/// Sets the order of each level of `problem` to the order of its class in `choice`.
void set_orders(RelaxProblem& problem, const OrderClasses& classes, const std::vector<int>& choice);

struct MoptSelection {
  PerLevelSchedule schedule = {};
  /// Holds one time in seconds per level, in the order in which select_tiles() solves the levels:
  /// first that of the slowest level, then that of the slowest other level when the tile of the
  /// slowest one and the next outer tile are fixed, and so on.
  std::vector<double> costs = {};
};

/// Returns the tiles for one loop order per level, or nothing when the solver fails. Solves for the
/// slowest level, rounds its tile and the next outer tile down, fixes both, and solves again for
/// the other levels. Finally rounds all tiles down to chains of divisors, because partial tiles,
/// which MOpt uses, are not searched here. Requires that `problem` has orders.
std::optional<MoptSelection> select_tiles(const Computation& computation, const Tile& covered,
                                          RelaxProblem problem);

/// Returns the selections for all choices of order classes that the solver can solve. They are
/// sorted by their costs, compared from the slowest level on, the least first.
std::vector<MoptSelection> mopt_selections(const Computation& computation,
                                           const KernelCombo& kernels, const OrderClasses& classes,
                                           const Machine& machine);

}  // namespace tileplan
