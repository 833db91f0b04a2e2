// SPDX-License-Identifier: Apache-2.0
// The search starts at the outermost level. At each level it tries the tiles inside the chosen
// outer tile, cheapest first, until none can give a schedule that is fast enough to be kept.
#include "exact.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "check.h"
#include "integers.h"
#include "link.h"
#include "maximal.h"
#include "objective.h"
#include "tile_cost_table.h"

namespace tileplan {
namespace {

/// Limits the combinations of order classes that are kept per chain of tiles, unless order classes
/// change the compute time. Their costs in the per-level model are nearly equal, but predictions
/// (models/cost.h) distinguish them.
constexpr int kTuplesPerTiling = 3;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

LevelSpec level_of(const CacheLevel& cache, Capacity kind, std::int64_t unit_bytes) {
  LevelSpec level{.capacity = usable_units(cache, unit_bytes),
                  .rule = rule_for(kind, cache, unit_bytes)};
  // A link of unknown bandwidth costs nothing, as in models/link.h.
  level.free = cache.fill_bytes_per_second <= 0;
  if (level.free) return level;
  level.seconds_per_unit = static_cast<double>(unit_bytes) / cache.fill_bytes_per_second;
  level.write_cost = write_cost(cache);
  return level;
}

/// Returns the compute time as a function of the reduction steps per call.
ComputeTime compute_time(const Computation& computation, const KernelCombo& kernels,
                         const Machine& machine, const Tile& extents) {
  const BaseTrips trips = trips_of(computation, kernels, extents);
  return {.base = base_cycles(computation, kernels, machine),
          .seconds_per_cycle = trips.outputs * trips.steps / machine.clock.hertz,
          .all_steps = trips.steps};
}

/// Describes the calls of the microkernels of one combination.
struct KernelCalls {
  ComputeTime time;
  bool has_lambda = false;  ///< Tells whether register tiles have two sizes along one dimension.
};

class ExactSearch {
 public:
  ExactSearch(const Machine& machine, std::int64_t unit_bytes, const ExactOptions& options,
              TileCostTable table, const KernelCalls& calls)
      : options_(options), has_lambda_(calls.has_lambda), table_(std::move(table)) {
    const TileIndex whole = table_.whole();
    const double everything = table_.footprint(whole);
    for (const CacheLevel& cache : machine.caches) {
      LevelSpec& level = levels_.emplace_back(level_of(cache, options.capacity, unit_bytes));
      level.free = level.free || (options.hot && everything <= level.capacity);
      level.innermost = levels_.size() == 1;
      level.accumulates = !has_lambda_;
    }
    if (options.incumbent > 0) best_seconds_ = options.incumbent;
    const double exponent =
        options.exponent > 0 ? options.exponent : machine.rates.overlap_exponent;
    const double scale = options.with_compute ? calls.time.least() : compulsory_seconds();
    objective_.emplace(calls.time, options.with_compute, exponent, scale);
    update_limit();
  }

  ExactResult run() {
    chain_.resize(levels_.size());
    known_.resize(levels_.size());
    // Without caches, the objective is the compute time alone.
    below_.assign(1, levels_.empty() ? objective_->compute(objective_->all_steps()) : 0);
    for (const LevelSpec& level : levels_)
      below_.push_back(least_power(table_, level, *objective_, below_.back(), limit_));
    if (levels_.empty())
      tiling();
    else
      level(levels_.size() - 1, table_.whole(), 0);
    result_.bound = objective_->seconds(limit_);
    if (!result_.best.empty())
      result_.bound = std::min(result_.bound, result_.best.front().seconds);
    if (!result_.complete)
      result_.bound = std::min(result_.bound, objective_->seconds(below_.back()));
    std::erase_if(result_.best, [this](const PerLevelSchedule& per_level) {
      return per_level.seconds > (1 + options_.slack) * best_seconds_;
    });
    return std::move(result_);
  }

 private:
  /// Returns the seconds of loading every tensor once over the slowest link, which scale an
  /// objective without compute time.
  double compulsory_seconds() const {
    double seconds = 0;
    const TileIndex whole = table_.whole();
    const Traffic once = table_.reload(table_.nesting(whole, whole));
    for (const LevelSpec& level : levels_)
      seconds = std::max(seconds, level.seconds_per_unit * once.reads);
    return seconds;
  }

  /// Sets the limit that prunes schedules that take more than (1 + slack) times the least seconds,
  /// or that are slower than every schedule of a full list.
  void update_limit() {
    double most = (1 + options_.slack) * best_seconds_;
    if (result_.best.size() >= static_cast<std::size_t>(options_.keep))
      most = std::min(most, result_.best.back().seconds);
    limit_ = objective_->power(most);
  }

  /// Searches tiles of levels 0 .. l inside `within`, where `used` joins the outer levels' terms of
  /// eq. (T) (Objective::join). Returns a lower bound of the joined terms of levels 0 .. l. The
  /// bound is stored for each `within`, because the search reaches the same `within` from many
  /// outer tiles.
  double level(std::size_t l, const TileIndex& within, double used) {
    double& known = known_[l].emplace(within, below_[l + 1]).first->second;
    if (objective_->join(used, known) > limit_) return known;
    const double rest = objective_->join(used, below_[l]);
    const std::vector<TileChoice> found =
        maximal_tiles(table_, levels_[l], *objective_, {within, rest, limit_});
    double least = kInfinity;
    for (const TileChoice& each : found) {
      if (objective_->join(rest, each.least) > limit_) break;
      if (result_.nodes >= options_.most_nodes) {
        result_.complete = false;
        return below_[l + 1];
      }
      ++result_.nodes;
      chain_[l] = &each;
      double inside = 0;
      if (l == 0)
        tiling();
      else
        inside = level(l - 1, each.tile, objective_->join(used, each.least));
      least = std::min(least, objective_->join(each.least, inside));
    }
    // The schedules of skipped tiles exceed the limit, so the limit bounds them.
    known = std::max(known, std::min(least, objective_->beyond(limit_, used)));
    return known;
  }

  /// Tries combinations of one order class per level for the current chain of tiles.
  void tiling() {
    tuples_ = 0;
    chosen_.resize(levels_.size());
    choose_classes(levels_.size(), 0);
  }

  /// Chooses order classes for the levels 0 to l - 1. `power` joins the terms of eq. (T) of the
  /// levels from `l` on (Objective::join): it is their sum, or their maximum if the exponent is
  /// infinite.
  void choose_classes(std::size_t l, double power) {
    if (l == 0) return accept(power);
    for (const ClassCost& cost : chain_[l - 1]->classes) {
      // Order classes change the compute time only when outer reductions continue the sums of a
      // call.
      if (tuples_ >= kTuplesPerTiling && !accumulates_outside(0)) return;
      const double sum = objective_->join(power, cost.power);
      if (sum > limit_) return;
      chosen_[l - 1] = &cost;
      choose_classes(l - 1, sum);
    }
  }

  /// Returns true when a reduction outside the tile of level `l` may continue the sums of a call.
  bool accumulates_outside(std::size_t l) const {
    return !has_lambda_ && table_.is_register_tile(chain_[l]->tile);
  }

  /// Returns the number of reduction steps of one microkernel call.
  double steps() const {
    if (levels_.empty()) return objective_->all_steps();
    double steps = table_.steps(chain_[0]->tile);
    for (std::size_t l = 0; l < levels_.size() && accumulates_outside(l); ++l)
      steps *= chosen_[l]->accumulation;
    return steps;
  }

  void accept(double power) {
    const double total = objective_->join(power, objective_->compute(steps()));
    if (total > limit_) return;
    ++tuples_;
    const double seconds = objective_->seconds(total);
    keep(seconds);
    best_seconds_ = std::min(best_seconds_, seconds);
    update_limit();
  }

  void keep(double seconds) {
    std::vector<PerLevelSchedule>& best = result_.best;
    const auto most = static_cast<std::size_t>(options_.keep);
    if (best.size() >= most && seconds >= best.back().seconds) return;
    PerLevelSchedule per_level{.seconds = seconds};
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      per_level.tiles.push_back(table_.tile(chain_[l]->tile));
      per_level.classes.push_back(chosen_[l]->order_class);
    }
    const auto after = std::ranges::upper_bound(best, seconds, {}, &PerLevelSchedule::seconds);
    best.insert(after, std::move(per_level));
    if (best.size() > most) best.pop_back();
  }

  ExactOptions options_;
  bool has_lambda_;
  TileCostTable table_;
  std::optional<Objective> objective_;
  std::vector<LevelSpec> levels_;
  std::vector<double> below_;
  // Holds, for each level and each tile around it, a lower bound of the terms of this level and the
  // levels inside.
  std::vector<std::map<TileIndex, double>> known_;
  double best_seconds_ = kInfinity;
  double limit_ = kInfinity;  // Is the largest sum in eq. (T) that is not pruned.
  int tuples_ = 0;
  std::vector<const TileChoice*> chain_;  // The innermost level comes first.
  std::vector<const ClassCost*> chosen_;
  ExactResult result_;
};

/// Tells, for each dimension, whether cache tiles may be split unevenly along it.
std::array<Splits, kMaxDims> splits_of(const KernelCombo& kernels, Splits splits) {
  std::array<Splits, kMaxDims> dims{};
  dims.fill(splits);
  if (kernels.lambda) dims[static_cast<std::size_t>(index(kernels.lambda->dim))] = Splits::equal;
  return dims;
}

/// Returns the number of tiles that are multiples of the base and divide the extents.
double divisor_tiles(const Tile& extents, const Tile& base, int dims) {
  double count = 1;
  for (int d = 0; d < dims; ++d)
    count *= static_cast<double>(divisors(extents[Dim{d}] / base[Dim{d}]).size());
  return count;
}

}  // namespace

bool has_uneven_splits(const Computation& computation, const KernelCombo& kernels, int lanes) {
  const Tile extents = covered_extents(computation, kernels.vectorised, lanes);
  for (int d = 0; d < computation.dims(); ++d)
    if (computation.role(Dim{d}) != Role::reduction && !lambda_of(kernels, Dim{d}) &&
        is_coarse(extents[Dim{d}] / kernels.base[Dim{d}]))
      return true;
  return false;
}

ExactResult exact_search(const Computation& computation, const KernelCombo& kernels,
                         const OrderClasses& classes, const Machine& machine,
                         const ExactOptions& options) {
  TILEPLAN_CHECK(options.keep >= 1 && options.slack >= 0, "search options out of range");
  const Tile extents = covered_extents(computation, kernels.vectorised, machine.vector.lanes);
  const ComputeTime compute = compute_time(computation, kernels, machine, extents);
  // Many combinations of a long list are discarded here, before the more expensive tables are
  // built.
  if (options.with_compute && options.incumbent > 0 &&
      compute.least() > (1 + options.slack) * options.incumbent)
    return {.bound = compute.least(),
            .points = divisor_tiles(extents, kernels.base, computation.dims())};
  TileCostTable table(computation, {kernels.base, extents, splits_of(kernels, options.splits)},
                      classes);
  const double points = table.points();
  const bool thinned = std::ranges::any_of(table.axes(), &TileAxis::thinned);
  ExactResult result = ExactSearch(machine, computation.unit_bytes(), options, std::move(table),
                                   {compute, kernels.lambda.has_value()})
                           .run();
  result.points = points;
  if (thinned) {
    // Sizes that were left out may load less than all others, so the bound counts computation
    // alone.
    result.complete = false;
    result.bound = options.with_compute ? std::min(result.bound, compute.least()) : 0;
  }
  return result;
}

}  // namespace tileplan
