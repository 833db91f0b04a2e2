// SPDX-License-Identifier: Apache-2.0
// This file uses predictions to choose the data that a nest prefetches.
#pragma once

#include <optional>

#include "contexts.h"

namespace tileplan {

/// Returns Schedule::prefetch: the machine's distance when calls load their weights from beyond L1,
/// because the data of one call evicts them before the next call, and 0 otherwise. `one` is the
/// first branch of the nest.
int weight_prefetch_distance(const CostContext& costs, const Nest& one);

/// Returns Schedule::prefetch of products of transformed tiles: the machine's distance when L1
/// cannot hold the weights until a loop outside the calls uses them again, and 0 otherwise.
int product_prefetch_distance(const CostContext& costs, const Nest& one);

/// Returns the box whose data the second-level cache holds. Returns nothing if this cache holds the
/// whole problem or does not exist.
std::optional<Tile> second_level_box(const CostContext& costs, const Nest& nest);

/// Returns true when some link takes longer than computing, than packing and than repacking.
bool is_bound_by_link(const Prediction& prediction);

/// Returns `marks` with Schedule::ahead at the loop for which the prediction is fastest, among the
/// loops whose weights or input may be prefetched into a second-level cache that holds `held`.
/// Returns `marks` without `ahead` when there is no such loop or when prefetching is predicted to
/// be slower. `predictor` predicts `nest`. Throws Error as `predict` does.
PredictedMarks with_next_tile_prefetch(const CostContext& costs, const Nest& nest,
                                       NestPredictor& predictor, const Marks& marks,
                                       const std::optional<Tile>& held);

/// Returns with_next_tile_prefetch() of `marks`. If the weights are read in place and `marks` does
/// not prefetch them yet, prefetching their rows is tried too, and the form with the faster
/// prediction is returned. Such prefetches help when the rows lie far apart in memory.
PredictedMarks with_prefetches(const CostContext& costs, const Nest& nest, NestPredictor& predictor,
                               const Marks& marks, const std::optional<Tile>& held);

/// Returns `form` without its prefetches when a link is the bottleneck, so that both variants are
/// measured. The model cannot tell whether prefetches help in that case (docs/experiments.md).
/// Returns nothing in all other cases.
std::optional<PredictedMarks> without_prefetches(NestPredictor& predictor,
                                                 const PredictedMarks& form);

}  // namespace tileplan
