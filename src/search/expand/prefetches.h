// SPDX-License-Identifier: Apache-2.0
// This file uses predictions to choose the data that a nest prefetches.
#pragma once

#include <optional>

#include "contexts.h"

namespace tileplan {

/// Returns Schedule::prefetch for packed weights. It is 0 when L1 holds the data of two iterations
/// (by the capacity rule lru2, and of one by other rules) of the innermost loop around the calls,
/// when no loop surrounds the calls, when the machine has no caches, and for weights from beyond L2
/// if the register tile has one pixel. Otherwise it is the machine's distance for weights from L2
/// or from beyond it, in reduction steps of the register tile. `one` is the first branch of the
/// nest. Returns the distance of `marks` for weights in place (with_prefetches).
int weight_prefetch_distance(const CostContext& costs, const Marks& marks, const Nest& one);

/// Returns Schedule::prefetch for the products of a Winograd convolution. The cache that holds the
/// weights decides as in weight_prefetch_distance(), but it is sought at the innermost loop outside
/// the calls that reads the same weights again. Without such a loop, the weights come from beyond
/// L2.
int product_prefetch_distance(const CostContext& costs, const Nest& one);

/// Returns the box whose data the second-level cache holds (FlatTraffic::cut). Returns nothing if
/// this cache holds the whole problem or does not exist.
std::optional<Tile> second_level_box(const CostContext& costs, const Nest& nest);

/// Returns true when the bottleneck is a link, and not computing, packing or repacking.
bool is_bound_by_link(const Prediction& prediction);

/// Returns `marks` with Schedule::ahead at the loop for which the prediction is fastest, among the
/// loops whose weights or input may be prefetched into a second-level cache that holds `held`.
/// Plain weights, and weights that calls prefetch from beyond L2 themselves, are left out. Returns
/// `marks` without `ahead` when there is no such loop or when prefetching is predicted to be
/// slower. `predictor` predicts `nest`. Throws Error as `predict` does.
PredictedMarks with_next_tile_prefetch(const CostContext& costs, const Nest& nest,
                                       NestPredictor& predictor, const Marks& marks,
                                       const std::optional<Tile>& held);

/// Returns with_next_tile_prefetch() of `marks`. If tiles of several pixels read the weights in
/// place, prefetching a few rows of weights is tried too, and the form with the faster prediction
/// is returned. Such prefetches help when these rows lie far apart in memory.
PredictedMarks with_prefetches(const CostContext& costs, const Nest& nest, NestPredictor& predictor,
                               const Marks& marks, const std::optional<Tile>& held);

/// Returns `form` without its prefetches when it has any and a link is the bottleneck, so that both
/// variants are measured. The model cannot tell whether prefetches help in that case
/// (docs/experiments.md). Returns nothing in all other cases.
std::optional<PredictedMarks> without_prefetches(NestPredictor& predictor,
                                                 const PredictedMarks& form);

}  // namespace tileplan
