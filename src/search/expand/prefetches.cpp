// SPDX-License-Identifier: Apache-2.0
// This file predicts each place of the mark `ahead` and keeps the fastest. Prefetch distances
// follow from the capacity of the L1 instead.
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

namespace {

/// Returns true when the second level holds the weights that the calls inside loop `outside` read
/// until they read them again.
bool stays_near(const CostContext& costs, const Nest& one, std::size_t outside) {
  if (costs.machine.caches.size() < 2) return false;
  const CacheLevel& second = costs.machine.caches[1];
  const TensorAccess& weights = costs.computation.tensor(Operand::weights);
  for (std::size_t at = outside + 1; at-- > 0;) {
    const Dim dim = one.loops[at].dim;
    if (!one.loops[at].is_active() || is_present(weights, dim)) continue;
    const std::int64_t needed =
        required(costs.computation, box_inside(one, at + 1), dim, costs.rule_of(second));
    return static_cast<double>(needed) <= usable_elements(second, costs.computation.unit_bytes());
  }
  return false;
}

/// Returns the machine's prefetch distance, or 0 when L1 holds the data of two iterations of loop
/// `outside`, because the weights of one iteration then stay there for the next.
int distance_at(const CostContext& costs, const Nest& one, std::size_t outside) {
  const CacheLevel& l1 = costs.machine.caches.front();
  const std::int64_t needed = required(costs.computation, box_inside(one, outside + 1),
                                       one.loops[outside].dim, costs.rule_of(l1));
  const bool streams =
      static_cast<double>(needed) > usable_elements(l1, costs.computation.unit_bytes());
  if (!streams) return 0;
  const MeasuredRates& rates = costs.machine.rates;
  return stays_near(costs, one, outside) ? rates.near_prefetch_steps.value_or(rates.prefetch_steps)
                                         : rates.prefetch_steps;
}

}  // namespace

int weight_prefetch_distance(const CostContext& costs, const Nest& one) {
  if (costs.machine.caches.empty()) return 0;
  const std::size_t begin = microkernel_begin(costs.computation, one);
  return begin == 0 ? 0 : distance_at(costs, one, begin - 1);
}

int product_prefetch_distance(const CostContext& costs, const Nest& one) {
  if (costs.machine.caches.empty()) return 0;
  const TensorAccess& weights = costs.computation.tensor(Operand::weights);
  std::size_t outside = microkernel_begin(costs.computation, one);
  while (outside > 0 &&
         (!one.loops[outside - 1].is_active() || is_present(weights, one.loops[outside - 1].dim)))
    --outside;
  return outside == 0 ? costs.machine.rates.prefetch_steps : distance_at(costs, one, outside - 1);
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
                                       NestPredictor& predictor, const Marks& marks,
                                       const std::optional<Tile>& held) {
  const auto predicted = [&](const std::optional<int>& position) {
    Marks form = marks;
    form.ahead = position;
    return PredictedMarks{.marks = form, .prediction = predictor.with(form)};
  };
  std::optional<PredictedMarks> best;
  const auto take = [&](PredictedMarks form) {
    if (!best || form.prediction.seconds < best->prediction.seconds) best = std::move(form);
  };
  if (held) {
    const HeldBox box{.cut = *held, .bytes = usable_bytes(costs.machine.caches[1])};
    for (const int position : next_tile_prefetch_positions(
             costs.computation, nest, input_in_place(costs.computation, marks, nest), box))
      if (!marks.takes_plain_weights() ||
          next_tile_operand(costs.computation, nest, position) == Operand::input)
        take(predicted(position));
  }
  // Prefetches that delay no other work are never predicted to be slower than no prefetches.
  if (!best || best->prediction.unhidden.prefetching > 0) take(predicted(std::nullopt));
  return *best;
}

PredictedMarks with_prefetches(const CostContext& costs, const Nest& nest, NestPredictor& predictor,
                               const Marks& marks, const std::optional<Tile>& held) {
  PredictedMarks given = with_next_tile_prefetch(costs, nest, predictor, marks, held);
  if (!marks.weights_in_place || marks.prefetch > 0) return given;
  Marks early = marks;
  early.prefetch = costs.machine.rates.prefetch_steps;
  const PredictedMarks prefetched = with_next_tile_prefetch(costs, nest, predictor, early, held);
  return prefetched.prediction.seconds < given.prediction.seconds ? prefetched : given;
}

std::optional<PredictedMarks> without_prefetches(NestPredictor& predictor,
                                                 const PredictedMarks& form) {
  const bool prefetches = form.marks.ahead || form.marks.prefetch > 0;
  if (!prefetches || !is_bound_by_link(form.prediction)) return std::nullopt;
  Marks bare = form.marks;
  bare.ahead.reset();
  bare.prefetch = 0;
  return PredictedMarks{.marks = bare, .prediction = predictor.with(bare)};
}

}  // namespace tileplan
