// SPDX-License-Identifier: Apache-2.0
// This file predicts the three stages of a Winograd convolution: models/README.md eq. (W5), (W6).
#pragma once

#include <vector>

#include "prediction_rules.h"
#include "tileplan/prediction.h"
#include "winograd_problem.h"

namespace tileplan {

/// Transforms touch one cache line in each of many planes, which hardware prefetchers do not
/// follow. A line that crosses the link into the second level for them takes these cycles in
/// addition to those of planes in the second level, and computation does not hide them. The value
/// is the mean of F(4,3) and F(6,3) on two machines (docs/experiments.md).
constexpr double kCyclesPerScatteredLine = 5;

/// Returns the time that transforms wait for `bytes` of planes beyond the second level. Requires a
/// cache level.
double scattered_seconds(const Machine& machine, double bytes);

/// Returns the time, the traffic and the bottleneck of `schedule`, whose loops are those of the
/// products: the sum of the stages, eq. (W6). Throws Error as resolve() and check_winograd_nest()
/// do.
Prediction predict_winograd(const WinogradProblem& problem, const Schedule& schedule,
                            const Machine& machine, const PredictionRules& rules = {});

/// Returns the bytes that each cache of `machine` loads in the prediction of `schedule`: those that
/// are read, and the cache lines that are written. No price, such as kCyclesPerScatteredLine, is in
/// them. Throws Error as predict_winograd() does.
std::vector<double> winograd_loads(const WinogradProblem& problem, const Schedule& schedule,
                                   const Machine& machine, const PredictionRules& rules = {});

/// Returns the computation whose dims are those of the loops of `schedule`: winograd_products() of
/// a Winograd schedule, and otherwise loop_computation(problem, schedule, unit).
Computation computation_in_loops(const Problem& problem, const Schedule& schedule,
                                 const VectorUnit& unit);

/// Returns predict() of a direct or predict_winograd() of a Winograd schedule. Throws Error as they
/// do, and as winograd_tile() does.
Prediction predict_schedule(const Problem& problem, const Schedule& schedule,
                            const Machine& machine, const PredictionRules& rules = {});

/// Returns the box of the products that cache `at` holds while `schedule` runs.
Tile winograd_cut(const WinogradProblem& problem, const Schedule& schedule, const Machine& machine,
                  std::size_t at, const PredictionRules& rules = {});

/// Returns the number of bytes that any schedule loads into the last cache when it is cold: the
/// input, the transformed weights and the outputs.
double winograd_bound_bytes(const WinogradProblem& problem);

}  // namespace tileplan
