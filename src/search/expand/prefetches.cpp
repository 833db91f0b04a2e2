// SPDX-License-Identifier: Apache-2.0
// Every choice is predicted, the fastest stays.
#include "prefetches.h"

#include <algorithm>
#include <cstddef>

#include "branches.h"
#include "cost.h"
#include "flat.h"
#include "footprint.h"
#include "next_tile_prefetch.h"
#include "repack.h"

namespace tileplan {

int prefetch_of(const Pricing& pricing, const Nest& one) {
  if (pricing.machine.caches.empty()) return 0;
  const std::size_t band = reduction_band(pricing.computation, one);
  if (band == 0) return 0;
  const CacheLevel& l1 = pricing.machine.caches.front();
  const std::int64_t needed = required(pricing.computation, box_inside(one, band),
                                       one.loops[band - 1].dim, pricing.rule_of(l1));
  const bool streams =
      static_cast<double>(needed) > usable_elements(l1, pricing.computation.element_bytes());
  return streams ? pricing.machine.prefetch_steps : 0;
}

std::optional<Tile> second_level_box(const Pricing& pricing, const Nest& nest) {
  const std::vector<CacheLevel>& caches = pricing.machine.caches;
  if (caches.size() < 2) return std::nullopt;
  const auto capacity =
      static_cast<std::int64_t>(usable_elements(caches[1], pricing.computation.element_bytes()));
  std::int64_t everything = 0;
  for (const TensorAccess& tensor : pricing.computation.tensors)
    everything += footprint(tensor, box_inside(nest, 0));
  if (everything <= capacity) return std::nullopt;
  return flat_traffic(pricing.computation, nest, capacity, pricing.rule_of(caches[1])).cut;
}

bool is_bound_by_link(const Prediction& prediction) {
  return std::any_of(
      prediction.levels.begin(), prediction.levels.end(),
      [&](const LevelPrediction& level) { return level.name == prediction.bottleneck; });
}

Candidate with_ahead(const Pricing& pricing, Schedule schedule, const Nest& nest,
                     const std::optional<Tile>& held) {
  std::vector<int> positions;
  if (held)
    positions = next_tile_prefetch_positions(
        pricing.computation, nest, input_in_place(pricing.computation, schedule, nest), *held);
  Candidate best;
  std::size_t tried = 0;
  do {
    schedule.ahead = positions.empty() ? std::nullopt : std::optional(positions[tried]);
    const Prediction prediction =
        predict_nest(pricing.computation, schedule, pricing.machine, pricing.capacity);
    if (tried == 0 || prediction.seconds < best.prediction.seconds)
      best = {.schedule = schedule, .prediction = prediction, .measurement = std::nullopt};
  } while (++tried < positions.size());
  return best;
}

std::optional<Candidate> without_prefetches(const Pricing& pricing, const Candidate& candidate) {
  const bool prefetches = candidate.schedule.ahead || candidate.schedule.prefetch > 0;
  if (!prefetches || !is_bound_by_link(candidate.prediction)) return std::nullopt;
  Candidate bare = candidate;
  bare.schedule.ahead.reset();
  bare.schedule.prefetch = 0;
  bare.prediction =
      predict_nest(pricing.computation, bare.schedule, pricing.machine, pricing.capacity);
  return bare;
}

}  // namespace tileplan
