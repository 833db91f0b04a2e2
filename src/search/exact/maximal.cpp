// SPDX-License-Identifier: Apache-2.0
// This file visits the sizes of each axis depth first. A subtree keeps only the order classes that
// can still meet the limit.
#include "maximal.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "check.h"

namespace tileplan {
namespace {

using ClassMask = std::uint64_t;
constexpr int kMaxClasses = 64;

class Enumeration {
 public:
  Enumeration(const TileCostTable& table, const LevelSpec& spec, const Objective& objective,
              const TileQuery& query)
      : table_(table),
        spec_(spec),
        objective_(objective),
        within_(query.within),
        used_(query.used),
        limit_(query.limit) {
    TILEPLAN_CHECK(table.orders() <= kMaxClasses, "more order classes than bits in a mask");
    per_read_ = table.executions(within_) * spec.seconds_per_unit;
    for (std::size_t a = 0; a < table.axes().size(); ++a) axes_.push_back(static_cast<int>(a));
    // The axis with most sizes comes last, because a size is not needed there if a larger one
    // that fits can replace it (TileList::next).
    std::stable_sort(axes_.begin(), axes_.end(), [&](int a, int b) { return count(a) < count(b); });
  }

  std::vector<TileChoice> all() {
    // If the tile around this level fits, it is the only choice: no loop steps over it, so that all
    // classes cost the same, and no smaller tile costs less.
    if (const int order_class = class_that_fits(within_); order_class >= 0) {
      const Nesting nesting = table_.nesting(within_, within_);
      const double seconds = volume_seconds(nesting, order_class);
      if (seconds <= budget(steps(nesting, 1))) add(nesting, order_class, seconds, 0);
    } else if (base_fits()) {
      visit_shapes();
    } else {
      add_base();
    }
    sort_choices();
    return std::move(found_);
  }

  double minimum() {
    only_minimum_ = true;
    if (class_that_fits(within_) >= 0)
      lower_limit(table_.nesting(within_, within_), 0);
    else if (base_fits())
      visit_shapes();
    else
      lower_limit(objective_.power(reload_seconds()), objective_.all_steps());
    return least_;
  }

 private:
  std::size_t count(int axis) const { return table_.axes()[axis].sizes.size(); }

  /// Returns the sizes along `axis` that tiles inside `top` may have.
  const TileList& inside(int axis, const TileIndex& top) const {
    const TileAxis& each = table_.axes()[axis];
    const bool innermost = spec_.innermost && !each.innermost.empty();
    return (innermost ? each.innermost : each.inside)[top[axis]];
  }
  ClassMask every_class() const { return ~ClassMask{0} >> (kMaxClasses - table_.orders()); }

  double seconds(const Traffic& traffic) const {
    return per_read_ * (traffic.reads + spec_.write_cost * traffic.writes);
  }
  double volume_seconds(const Nesting& nesting, int order_class) const {
    return spec_.free ? 0 : seconds(table_.volume(nesting, order_class));
  }
  double reload_seconds() const {
    const Nesting nesting = table_.nesting(table_.base(), within_);
    return nesting.total * seconds(table_.reload(nesting));
  }
  double compute(double steps) const { return spec_.innermost ? objective_.compute(steps) : 0; }

  /// Returns the seconds that this level may take when a call makes at most `steps` steps. The
  /// value is remembered because successive tiles often have equal steps.
  double budget(double steps) {
    if (!spec_.innermost) steps = 1;
    if (steps == budget_steps_) return budget_;
    budget_steps_ = steps;
    return budget_ = objective_.left(limit_, objective_.join(used_, compute(steps)));
  }

  bool fits(const TileIndex& tile, const Footprints& footprints, int order_class) const {
    return spec_.free || table_.required(tile, footprints, table_.next(tile, order_class),
                                         spec_.rule) <= spec_.capacity;
  }
  bool fits(const TileIndex& tile, int order_class) const {
    return fits(tile, table_.footprints(tile), order_class);
  }
  /// Returns the first order class under which `tile` fits, or -1 if there is none.
  int class_that_fits(const TileIndex& tile) const {
    for (int c = 0; c < table_.orders(); ++c)
      if (fits(tile, c)) return c;
    return -1;
  }
  bool base_fits() const { return class_that_fits(table_.base()) >= 0; }

  bool is_register_tile(const TileIndex& tile) const {
    return spec_.accumulates && table_.is_register_tile(tile);
  }
  /// Returns the largest number of reduction steps that a microkernel call can make. If the tile
  /// has the outputs of one register tile and sums may continue (LevelSpec::accumulates), the
  /// reduction loops of this level continue the call, which then makes `accumulation` times as many
  /// steps. Otherwise a call ends inside the tile.
  double steps(const Nesting& nesting, double accumulation) const {
    const double inside = table_.steps(nesting.tile);
    if (!is_register_tile(nesting.tile)) return inside;
    // If the tile around this level has the outputs of one register tile too, the loops outside may
    // continue the call up to all steps.
    if (is_register_tile(within_)) return objective_.all_steps();
    if (!only_minimum_) return inside * accumulation;
    // Only a lower limit is computed here, and the tile around this level is unknown. If the
    // innermost loop with several iterations may be a reduction, a call may make all steps of the
    // reduction.
    return accumulation > 1 || !table_.shares_reductions() ? objective_.all_steps() : inside;
  }

  void visit_shapes() {
    top_ = within_;
    descend(0, table_.base(), every_class());
    if (!spec_.accumulates) return;
    for (const int axis : axes_)
      if (!table_.axes()[axis].reduction) top_[axis] = 0;
    only_reductions_ = true;
    if (top_ != within_) descend(0, table_.base(), every_class());
  }

  /// Returns the classes of `alive` whose cost is within the limit when all later axes have their
  /// largest sizes.
  ClassMask affordable_classes(const TileIndex& tile, const TileIndex& largest, ClassMask alive) {
    const Nesting nesting = table_.nesting(largest, within_);
    const double most_steps =
        is_register_tile(tile) ? objective_.all_steps() : steps(nesting, objective_.all_steps());
    const double most = budget(most_steps);
    ClassMask left = 0;
    for (int c = 0; c < table_.orders(); ++c)
      if ((alive >> c & 1U) != 0 && volume_seconds(nesting, c) <= most) left |= ClassMask{1} << c;
    return left;
  }

  /// Chooses the sizes of the axes from `depth` on, along which `tile` has the size of the base.
  void descend(std::size_t depth, TileIndex tile, ClassMask alive) {
    TileIndex largest = tile;
    for (std::size_t i = depth; i < axes_.size(); ++i) largest[axes_[i]] = top_[axes_[i]];
    alive = affordable_classes(tile, largest, alive);
    if (alive == 0) return;
    if (depth + 1 == axes_.size()) return last_axis(tile, alive);
    const int axis = axes_[depth];
    const std::vector<std::int16_t>& sizes = inside(axis, top_).positions;
    for (auto position = sizes.rbegin(); position != sizes.rend(); ++position) {
      tile[axis] = *position;
      if (table_.footprint(tile) <= spec_.capacity) descend(depth + 1, tile, alive);
    }
  }

  using Position = std::vector<std::int16_t>::const_reverse_iterator;

  void last_axis(TileIndex tile, ClassMask alive) {
    const int axis = axes_.back();
    const std::vector<std::int16_t>& sizes = inside(axis, top_).positions;
    const std::size_t before = found_.size();
    // The capacity rule lru2 doubles one size of a tile (capacity.h). A tile that does not fit
    // without this doubling fits under no order class.
    const auto from = std::find_if(sizes.rbegin(), sizes.rend(), [&](std::int16_t size) {
      tile[axis] = size;
      return table_.footprint(tile) <= spec_.capacity;
    });
    last_nestings_.clear();
    for (int c = 0; c < table_.orders(); ++c)
      if ((alive >> c & 1U) != 0) last_axis_of_class(tile, {from, sizes.rend()}, c, before);
  }

  /// Tries the sizes of the last axis that fit, except where a larger one that fits can replace
  /// them (TileList::next). With `only_minimum_`, only the largest size that fits is tried.
  void last_axis_of_class(TileIndex tile, const std::pair<Position, Position>& sizes,
                          int order_class, std::size_t before) {
    const int axis = axes_.back();
    const std::vector<std::int16_t>& next = inside(axis, top_).next;
    std::int16_t largest = -1;
    for (auto position = sizes.first; position != sizes.second; ++position) {
      if (largest >= 0 && next[*position] >= 0 && next[*position] <= largest) continue;
      tile[axis] = *position;
      const auto& [nesting, footprints] =
          last_nesting(tile, static_cast<std::size_t>(position - sizes.first));
      if (largest < 0 && !fits(tile, footprints, order_class)) continue;
      largest = std::max(largest, *position);
      consider(nesting, order_class, before);
      if (only_minimum_) return;
    }
  }

  using NestingAndFootprints = std::pair<Nesting, Footprints>;

  /// Returns the values of `tile` for size `i` of the last axis, which are computed once for all
  /// classes.
  const NestingAndFootprints& last_nesting(const TileIndex& tile, std::size_t i) {
    while (last_nestings_.size() <= i) last_nestings_.emplace_back();
    std::optional<NestingAndFootprints>& nesting = last_nestings_[i];
    if (!nesting) nesting = {table_.nesting(tile, within_), table_.footprints(tile)};
    return *nesting;
  }

  void consider(const Nesting& nesting, int order_class, std::size_t before) {
    const double seconds = volume_seconds(nesting, order_class);
    if (seconds > budget(steps(nesting, accumulation_of(nesting, order_class)))) return;
    if (only_minimum_) return lower_limit(nesting, order_class);
    if (can_grow(nesting.tile, order_class, top_)) return;
    // The first visit already added the tiles that are maximal when all axes may grow.
    if (only_reductions_ && !can_grow(nesting.tile, order_class, within_)) return;
    add(nesting, order_class, seconds, before);
  }

  bool can_grow(TileIndex tile, int order_class, const TileIndex& top) const {
    for (const int axis : axes_) {
      const std::int16_t here = tile[axis];
      const std::int16_t next = inside(axis, top).next[here];
      if (next < 0) continue;
      tile[axis] = next;
      if (fits(tile, order_class)) return true;
      tile[axis] = here;
    }
    return false;
  }

  double accumulation_of(const Nesting& nesting, int order_class) const {
    double trips = 1;
    for (const int axis : table_.order(order_class)) {
      if (nesting.tile[axis] == nesting.within[axis]) continue;
      if (!table_.axes()[axis].reduction) break;
      trips *= nesting.trips[axis];
    }
    return trips;
  }

  void lower_limit(const Nesting& nesting, int order_class) {
    lower_limit(objective_.power(volume_seconds(nesting, order_class)),
                steps(nesting, accumulation_of(nesting, order_class)));
  }

  /// Lowers the limit to the sum of the terms for a level that takes `power` while a call makes at
  /// most `most_steps` steps.
  void lower_limit(double power, double most_steps) {
    const double sum = objective_.join(used_, objective_.join(power, compute(most_steps)));
    if (sum > limit_) return;
    least_ = limit_ = sum;
    budget_steps_ = 0;
  }

  void add(const Nesting& nesting, int order_class, double seconds, std::size_t before) {
    const ClassCost cost{order_class, objective_.power(seconds),
                         accumulation_of(nesting, order_class)};
    const double least = objective_.join(cost.power, compute(steps(nesting, cost.accumulation)));
    for (std::size_t i = before; i < found_.size(); ++i) {
      if (found_[i].tile != nesting.tile) continue;
      found_[i].least = std::min(found_[i].least, least);
      found_[i].classes.push_back(cost);
      return;
    }
    found_.push_back({nesting.tile, {cost}, least});
  }

  void add_base() {
    const Nesting nesting = table_.nesting(table_.base(), within_);
    const double cost = reload_seconds();
    for (int c = 0; c < table_.orders(); ++c)
      if (cost <= budget(steps(nesting, accumulation_of(nesting, c)))) add(nesting, c, cost, 0);
  }

  /// Sorts the choices. Among several classes with equal cost, only the one that continues sums
  /// longest is kept.
  void sort_choices() {
    for (TileChoice& each : found_) {
      std::vector<ClassCost>& classes = each.classes;
      std::ranges::sort(classes, {}, [](const ClassCost& cost) {
        return std::tuple(cost.power, -cost.accumulation, cost.order_class);
      });
      const auto copies =
          std::unique(classes.begin(), classes.end(),
                      [](const ClassCost& a, const ClassCost& b) { return a.power == b.power; });
      classes.erase(copies, classes.end());
    }
    std::ranges::sort(
        found_, {}, [](const TileChoice& choice) { return std::tuple(choice.least, choice.tile); });
  }

  const TileCostTable& table_;
  const LevelSpec& spec_;
  const Objective& objective_;
  TileIndex within_;
  TileIndex top_{};  // Holds the largest sizes that the current visit may choose.
  double used_, limit_;
  double per_read_ = 0;
  // Is the number of steps for which `budget_` was computed, or 0 when it was not computed.
  double budget_steps_ = 0;
  double budget_ = 0;
  bool only_minimum_ = false;
  double least_ = std::numeric_limits<double>::infinity();  // Is used with `only_minimum_`.
  bool only_reductions_ = false;
  std::vector<int> axes_;
  std::vector<std::optional<NestingAndFootprints>> last_nestings_;
  std::vector<TileChoice> found_;
};

}  // namespace

std::vector<TileChoice> maximal_tiles(const TileCostTable& table, const LevelSpec& spec,
                                      const Objective& objective, const TileQuery& query) {
  return Enumeration(table, spec, objective, query).all();
}

double least_power(const TileCostTable& table, const LevelSpec& spec, const Objective& objective,
                   double used, double limit) {
  return Enumeration(table, spec, objective, {table.whole(), used, limit}).minimum();
}

}  // namespace tileplan
