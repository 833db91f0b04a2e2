// SPDX-License-Identifier: Apache-2.0
// This file chooses by the model which data a nest prefetches.
#pragma once

#include <optional>

#include "contexts.h"

namespace tileplan {

/// Returns Schedule::prefetch. The result is the machine's distance when calls read their weights
/// from beyond L1, because the data of one call evicts them before the next call, and 0 otherwise.
/// `one` is the first branch of the nest.
int weight_prefetch_distance(const CostContext& costs, const Nest& one);

/// Returns the box that the second-level cache holds, or nothing where the whole problem fits.
std::optional<Tile> second_level_box(const CostContext& costs, const Nest& nest);

/// Returns true when some link takes longer than the compute time.
bool is_bound_by_link(const Prediction& prediction);

/// Returns `marks` with Schedule::ahead at the fastest of the loops whose weights or input may be
/// prefetched into a cache that holds `held`, or without `ahead` when there is no such loop. Throws
/// Error as `predict` does.
PredictedMarks with_next_tile_prefetch(const CostContext& costs, const Nest& nest,
                                       const Marks& marks, const std::optional<Tile>& held);

/// Returns `form` without its prefetches where a link is the bottleneck, so that both variants are
/// measured, because no model tells whether prefetches help there (docs/experiments.md). Returns
/// nothing elsewhere.
std::optional<PredictedMarks> without_prefetches(const CostContext& costs, const Nest& nest,
                                                 const PredictedMarks& form);

}  // namespace tileplan
