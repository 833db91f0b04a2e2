// SPDX-License-Identifier: Apache-2.0
// This file predicts the three stages of a Winograd convolution: models/README.md eq. (W5), (W6).
#pragma once

#include <vector>

#include "prediction_rules.h"
#include "tileplan/prediction.h"
#include "winograd_problem.h"

namespace tileplan {

/// Gives the additional cycles of a cache line that transforms load from beyond the second level. A
/// transform touches one line in each of many planes, each of which holds one of the products of
/// every tile. Hardware prefetchers do not follow so many planes, and computation does not hide the
/// wait. The value is the mean of F(4,3) and F(6,3) on two machines (docs/experiments.md).
constexpr double kCyclesPerScatteredLine = 5;

/// Returns the additional time in which Winograd transforms load `bytes` bytes from beyond the
/// second-level cache. These bytes lie in planes: a plane holds one of the products of every tile.
/// Requires a machine with a cache.
double scattered_seconds(const Machine& machine, double bytes);

/// Returns the prediction of `schedule`, whose loops are those of the products. Its time is the sum
/// of the stages and of the times that nothing hides, eq. (W6). Throws Error as resolve(),
/// check_winograd_nest() and winograd_box_layout() do.
Prediction predict_winograd(const WinogradProblem& problem, const Schedule& schedule,
                            const Machine& machine, const PredictionRules& rules = {});

/// Returns the bytes that each cache of `machine` loads in the prediction of `schedule`, including
/// the reads for ownership of lines that are written. Throws Error as predict_winograd() does.
std::vector<double> winograd_loads(const WinogradProblem& problem, const Schedule& schedule,
                                   const Machine& machine, const PredictionRules& rules = {});

/// Returns the computation whose loop dimensions are those of `schedule`: winograd_products() for a
/// Winograd schedule, and loop_computation(problem, schedule, unit) for any other. Throws Error as
/// these functions and winograd_tile() do.
Computation computation_in_loops(const Problem& problem, const Schedule& schedule,
                                 const VectorUnit& unit);

/// Returns predict_winograd() of a Winograd schedule and predict() of any other. Throws Error as
/// these functions, winograd_problem() and loop_computation() do.
Prediction predict_schedule(const Problem& problem, const Schedule& schedule,
                            const Machine& machine, const PredictionRules& rules = {});

/// Returns the box of iterations of the products whose data cache `at` holds while `schedule` runs.
/// Throws Error as resolve() and winograd_box_layout() do. Requires at < machine.caches.size().
Tile winograd_cut(const WinogradProblem& problem, const Schedule& schedule, const Machine& machine,
                  std::size_t at, const PredictionRules& rules = {});

/// Returns a lower bound on the bytes that any schedule of this Winograd algorithm loads into a
/// cold last cache: those of the input, the transformed weights and the outputs.
double winograd_bound_bytes(const WinogradProblem& problem);

}  // namespace tileplan
