// SPDX-License-Identifier: Apache-2.0
// This file predicts every choice of prefetches and keeps the fastest.
#include "prefetches.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "branches.h"
#include "cost.h"
#include "flat.h"
#include "footprint.h"
#include "next_tile_prefetch.h"
#include "repack.h"

namespace tileplan {

int weight_prefetch_distance(const CostContext& costs, const Nest& one) {
  if (costs.machine.caches.empty()) return 0;
  const std::size_t band = reduction_band(costs.computation, one);
  if (band == 0) return 0;
  const CacheLevel& l1 = costs.machine.caches.front();
  const std::int64_t needed = required(costs.computation, box_inside(one, band),
                                       one.loops[band - 1].dim, costs.rule_of(l1));
  const bool streams =
      static_cast<double>(needed) > usable_elements(l1, costs.computation.unit_bytes());
  return streams ? costs.machine.rates.prefetch_steps : 0;
}

std::optional<Tile> second_level_box(const CostContext& costs, const Nest& nest) {
  const std::vector<CacheLevel>& caches = costs.machine.caches;
  if (caches.size() < 2) return std::nullopt;
  const auto capacity =
      static_cast<std::int64_t>(usable_elements(caches[1], costs.computation.unit_bytes()));
  std::int64_t everything = 0;
  for (const TensorAccess& tensor : costs.computation.tensors)
    everything += footprint(tensor, box_inside(nest, 0));
  if (everything <= capacity) return std::nullopt;
  return flat_traffic(costs.computation, nest, capacity, costs.rule_of(caches[1])).cut;
}

bool is_bound_by_link(const Prediction& prediction) {
  return std::ranges::find(prediction.levels, prediction.bottleneck, &LevelPrediction::name) !=
         prediction.levels.end();
}

PredictedMarks with_next_tile_prefetch(const CostContext& costs, const Nest& nest,
                                       const Marks& marks, const std::optional<Tile>& held) {
  std::vector<int> positions;
  if (held)
    positions = next_tile_prefetch_positions(costs.computation, nest,
                                             input_in_place(costs.computation, marks, nest), *held);
  PredictedMarks best;
  std::size_t tried = 0;
  do {
    Marks form = marks;
    form.ahead = positions.empty() ? std::nullopt : std::optional(positions[tried]);
    Prediction prediction =
        predict_nest(costs.computation, nest, form, costs.machine, costs.capacity);
    if (tried == 0 || prediction.seconds < best.prediction.seconds)
      best = {.marks = form, .prediction = std::move(prediction)};
  } while (++tried < positions.size());
  return best;
}

std::optional<PredictedMarks> without_prefetches(const CostContext& costs, const Nest& nest,
                                                 const PredictedMarks& form) {
  const bool prefetches = form.marks.ahead || form.marks.prefetch > 0;
  if (!prefetches || !is_bound_by_link(form.prediction)) return std::nullopt;
  Marks bare = form.marks;
  bare.ahead.reset();
  bare.prefetch = 0;
  return PredictedMarks{
      .marks = bare,
      .prediction = predict_nest(costs.computation, nest, bare, costs.machine, costs.capacity)};
}

}  // namespace tileplan
