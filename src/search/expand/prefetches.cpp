// SPDX-License-Identifier: Apache-2.0
// This file predicts a nest with each possible place of the mark `ahead` and keeps the fastest.
// Prefetch distances of packed weights need no predictions, because they follow from the cache that
// holds the weights.
#include "prefetches.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "branches.h"
#include "capacity.h"
#include "cost.h"
#include "flat.h"
#include "next_tile_prefetch.h"
#include "repack.h"

namespace tileplan {

namespace {

/// Returns the number of loops down to the innermost one of the first `from` loops that reads the
/// same weights again, or 0 when none does.
std::size_t loops_to_reuse(const CostContext& costs, const Nest& one, std::size_t from) {
  const TensorAccess& weights = costs.computation.tensor(Operand::weights);
  while (from > 0 &&
         (!one.loops[from - 1].is_active() || is_present(weights, one.loops[from - 1].dim)))
    --from;
  return from;
}

/// Returns true when `cache` holds the data of two iterations of loop `at`, or of one iteration
/// under a capacity rule other than lru2. Weights that both iterations read then stay there.
bool holds_two(const CostContext& costs, const Nest& one, std::size_t at, const CacheLevel& cache) {
  const std::int64_t needed =
      required(costs.computation, box_inside(one, at + 1), one.loops[at].dim, costs.rule_of(cache));
  return static_cast<double>(needed) <= usable_units(cache, costs.computation.unit_bytes());
}

/// Says where calls find their weights.
enum class WeightSource { first_cache, second_cache, beyond };

/// Returns where calls inside loop `outside` find their weights: in the first cache if it holds the
/// data of two iterations of this loop, otherwise in the second cache if that holds two iterations
/// of the innermost loop, from `outside` on outwards, that reads the same weights again.
WeightSource source_at(const CostContext& costs, const Nest& one, std::size_t outside) {
  const std::vector<CacheLevel>& caches = costs.machine.caches;
  if (holds_two(costs, one, outside, caches.front())) return WeightSource::first_cache;
  const std::size_t reuse = loops_to_reuse(costs, one, outside + 1);
  const bool is_near =
      caches.size() > 1 && reuse > 0 && holds_two(costs, one, reuse - 1, caches[1]);
  return is_near ? WeightSource::second_cache : WeightSource::beyond;
}

/// Returns the reduction steps in which `tile` reads as many bytes of weights as a tile of two
/// vectors reads in `steps`, because a link brings as many bytes in its latency whatever the tile.
/// Tiles with vectors of pixels keep `steps`: their rows of weights are short.
int steps_of_tile(const RegisterTile& tile, int steps) {
  if (steps == 0 || tile.channels > 0) return steps;
  return std::max(1, 2 * steps / tile.vectors);
}

RegisterTile tile_of(const CostContext& costs, const Nest& one) {
  return register_tile(costs.computation, one, costs.machine.vector.lanes);
}

/// Returns true for tiles of one pixel: the CPU itself executes their loads far enough ahead.
bool runs_ahead(const RegisterTile& tile) { return tile.pixels == 1; }

/// Returns the prefetch distance of weights from `source`.
int distance_from(const CostContext& costs, const Nest& one, WeightSource source) {
  if (source == WeightSource::first_cache) return 0;
  const MeasuredRates& rates = costs.machine.rates;
  const RegisterTile tile = tile_of(costs, one);
  if (source == WeightSource::second_cache)
    return steps_of_tile(tile, rates.near_prefetch_steps.value_or(rates.prefetch_steps));
  return runs_ahead(tile) ? 0 : steps_of_tile(tile, rates.prefetch_steps);
}

/// Returns true when each call prefetches its own weights from beyond L2. Prefetching the weights
/// of the next tile too would only delay them.
bool prefetches_from_beyond(const CostContext& costs, const Nest& nest, const Marks& marks) {
  if (marks.prefetch == 0) return false;
  const Nest one = branches_of(nest).front().nest;
  const std::size_t begin = microkernel_begin(costs.computation, one);
  return begin > 0 && source_at(costs, one, begin - 1) == WeightSource::beyond;
}

}  // namespace

int weight_prefetch_distance(const CostContext& costs, const Marks& marks, const Nest& one) {
  if (marks.weights_in_place) return marks.prefetch;
  if (costs.machine.caches.empty()) return 0;
  const std::size_t begin = microkernel_begin(costs.computation, one);
  return begin == 0 ? 0 : distance_from(costs, one, source_at(costs, one, begin - 1));
}

int product_prefetch_distance(const CostContext& costs, const Nest& one) {
  if (costs.machine.caches.empty()) return 0;
  const std::size_t outside = loops_to_reuse(costs, one, microkernel_begin(costs.computation, one));
  return distance_from(costs, one,
                       outside == 0 ? WeightSource::beyond : source_at(costs, one, outside - 1));
}

std::optional<Tile> second_level_box(const CostContext& costs, const Nest& nest) {
  const std::vector<CacheLevel>& caches = costs.machine.caches;
  if (caches.size() < 2) return std::nullopt;
  const auto capacity =
      static_cast<std::int64_t>(usable_units(caches[1], costs.computation.unit_bytes()));
  if (required(costs.computation, box_inside(nest, 0), std::nullopt, CapacityRule::ideal) <=
      capacity)
    return std::nullopt;
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
    const bool skips_weights =
        marks.takes_plain_weights() || prefetches_from_beyond(costs, nest, marks);
    const HeldBox box{.cut = *held, .bytes = usable_bytes(costs.machine.caches[1])};
    for (const int position : next_tile_prefetch_positions(
             costs.computation, nest, input_in_place(costs.computation, marks, nest), box))
      if (!skips_weights || next_tile_operand(costs.computation, nest, position) == Operand::input)
        take(predicted(position));
  }
  // Prefetches that delay no other work are never predicted to be slower than no prefetches.
  if (!best || best->prediction.unhidden.prefetching > 0) take(predicted(std::nullopt));
  return *best;
}

PredictedMarks with_prefetches(const CostContext& costs, const Nest& nest, NestPredictor& predictor,
                               const Marks& marks, const std::optional<Tile>& held) {
  PredictedMarks given = with_next_tile_prefetch(costs, nest, predictor, marks, held);
  if (!marks.weights_in_place || runs_ahead(tile_of(costs, branches_of(nest).front().nest)))
    return given;
  // Each step prefetches the row of a step that is only this many steps later, because the last
  // steps of a call prefetch rows beyond its own, which the next call does not read.
  constexpr int kRowsEarly = 8;
  Marks early = marks;
  early.prefetch = kRowsEarly;
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
