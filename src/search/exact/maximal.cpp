// SPDX-License-Identifier: Apache-2.0
// Depth-first walk over the sizes of each axis; a subtree keeps only the classes that can still
// meet the limit.
#include "maximal.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "check.h"

namespace tileplan {
namespace {

using ClassMask = std::uint64_t;
constexpr int kMaxClasses = 64;

class Enumeration {
 public:
  Enumeration(const Lattice& lattice, const LevelSpec& spec, const Objective& objective,
              const TileQuery& query)
      : lattice_(lattice),
        spec_(spec),
        objective_(objective),
        within_(query.within),
        used_(query.used),
        limit_(query.limit) {
    TILEPLAN_CHECK(lattice.orders() <= kMaxClasses, "more order classes than bits in a mask");
    per_read_ = lattice.executions(within_) * spec.seconds_per_element;
    for (std::size_t a = 0; a < lattice.axes().size(); ++a) axes_.push_back(static_cast<int>(a));
    // The longest list last: there only the largest size that fits is looked for.
    std::stable_sort(axes_.begin(), axes_.end(), [&](int a, int b) { return count(a) < count(b); });
  }

  std::vector<TileChoice> all() {
    if (const int order_class = class_of_whole(); order_class >= 0) {
      const Walk walk = lattice_.walk(within_, within_);
      if (volume_seconds(walk, order_class) <= budget(steps(walk, 1))) add(walk, order_class, 0);
    } else if (base_fits()) {
      for_each_shape([this] { descend(0, lattice_.base(), every_class()); });
    } else {
      add_base();
    }
    finish();
    return std::move(found_);
  }

  double minimum() {
    only_minimum_ = true;
    if (class_of_whole() >= 0)
      lower_limit(lattice_.walk(within_, within_), 0);
    else if (base_fits())
      for_each_shape([this] { descend(0, lattice_.base(), every_class()); });
    else
      limit_ = objective_.join(objective_.power(reload_seconds()), least_compute());
    return limit_;
  }

 private:
  std::size_t count(int axis) const { return lattice_.axes()[axis].sizes.size(); }

  /// Tiles of `axis` inside `top`.
  const TileList& inside(int axis, const Point& top) const {
    const TileAxis& each = lattice_.axes()[axis];
    const bool innermost = spec_.innermost && !each.innermost.empty();
    return (innermost ? each.innermost : each.inside)[top[axis]];
  }
  ClassMask every_class() const { return ~ClassMask{0} >> (kMaxClasses - lattice_.orders()); }

  double seconds(const Traffic& traffic) const {
    return per_read_ * (traffic.reads + spec_.write_cost * traffic.writes);
  }
  double volume_seconds(const Walk& walk, int order_class) const {
    return spec_.free ? 0 : seconds(lattice_.volume(walk, order_class));
  }
  double reload_seconds() const {
    const Walk walk = lattice_.walk(lattice_.base(), within_);
    return walk.total * seconds(lattice_.reload(walk));
  }
  double least_compute() const {
    return spec_.innermost ? objective_.compute(objective_.all_steps()) : 0;
  }

  /// Seconds that this level may take when a call makes at most `steps` steps. Neighbours in the
  /// walk share them.
  double budget(double steps) {
    if (!spec_.innermost) steps = 1;
    if (steps == budget_steps_) return budget_;
    budget_steps_ = steps;
    const double compute = spec_.innermost ? objective_.compute(steps) : 0;
    return budget_ = objective_.left(limit_, objective_.join(used_, compute));
  }

  bool fits(const Point& tile, const Footprints& footprints, int order_class) const {
    return spec_.free || lattice_.required(tile, footprints, lattice_.next(tile, order_class),
                                           spec_.rule) <= spec_.capacity;
  }
  bool fits(const Point& tile, int order_class) const {
    return fits(tile, lattice_.footprints(tile), order_class);
  }
  bool base_fits() const {
    for (int c = 0; c < lattice_.orders(); ++c)
      if (fits(lattice_.base(), c)) return true;
    return false;
  }
  /// A class under which the tile may be all of `within`, or -1. There is nothing to choose then:
  /// without active loops all classes cost the same, and every smaller tile costs at least as much.
  int class_of_whole() const {
    for (int c = 0; c < lattice_.orders(); ++c)
      if (fits(within_, c)) return c;
    return -1;
  }

  /// True when the loop directly outside the tile's reductions is outside the tile.
  bool is_register_tile(const Point& tile) const {
    if (!spec_.runs) return false;
    for (const int axis : axes_)
      if (!lattice_.axes()[axis].reduction && tile[axis] != 0) return false;
    return true;
  }
  /// Reduction steps of a call, at most; `run` is that of the class in this band.
  double steps(const Walk& walk, double run) const {
    double inside = 1;
    for (const int axis : axes_) {
      const TileAxis& each = lattice_.axes()[axis];
      if (each.reduction) inside *= each.sizes[walk.tile[axis]] / each.sizes[0];
    }
    if (!is_register_tile(walk.tile)) return inside;
    if (is_register_tile(within_)) return objective_.all_steps();  // the bands outside decide
    if (!only_minimum_) return inside * run;
    // Whatever is around: a class whose first active loop is a reduction is no better than one that
    // has all its reductions innermost, and that one is met here too.
    return run > 1 || !lattice_.shares_reductions() ? objective_.all_steps() : inside;
  }

  template <class Walker>
  void for_each_shape(const Walker& walker) {
    top_ = within_;
    walker();
    if (!spec_.runs) return;
    for (const int axis : axes_)
      if (!lattice_.axes()[axis].reduction) top_[axis] = 0;
    only_reductions_ = true;
    if (top_ != within_) walker();
  }

  /// Classes of `alive` that, with every size still open at its largest, meet the limit.
  ClassMask affordable(const Point& tile, const Point& largest, ClassMask alive) {
    const Walk walk = lattice_.walk(largest, within_);
    const double most_steps =
        is_register_tile(tile) ? objective_.all_steps() : steps(walk, objective_.all_steps());
    const double most = budget(most_steps);
    ClassMask left = 0;
    for (int c = 0; c < lattice_.orders(); ++c)
      if ((alive >> c & 1U) != 0 && volume_seconds(walk, c) <= most) left |= ClassMask{1} << c;
    return left;
  }

  /// `tile`: sizes chosen for the first `depth` axes, the base for the others.
  void descend(std::size_t depth, Point tile, ClassMask alive) {
    Point largest = tile;
    for (std::size_t i = depth; i < axes_.size(); ++i) largest[axes_[i]] = top_[axes_[i]];
    alive = affordable(tile, largest, alive);
    if (alive == 0) return;
    if (depth + 1 == axes_.size()) return last_axis(tile, alive);
    const int axis = axes_[depth];
    const std::vector<std::int16_t>& sizes = inside(axis, top_).positions;
    for (auto position = sizes.rbegin(); position != sizes.rend(); ++position) {
      tile[axis] = *position;
      if (lattice_.footprint(tile) <= spec_.capacity) descend(depth + 1, tile, alive);
    }
  }

  using Position = std::vector<std::int16_t>::const_reverse_iterator;

  void last_axis(Point tile, ClassMask alive) {
    const int axis = axes_.back();
    const std::vector<std::int16_t>& sizes = inside(axis, top_).positions;
    const std::size_t before = found_.size();
    // No class can have more than what fits without any doubling.
    auto from = sizes.rbegin();
    for (; from != sizes.rend(); ++from) {
      tile[axis] = *from;
      if (lattice_.footprint(tile) <= spec_.capacity) break;
    }
    last_walks_.clear();
    for (int c = 0; c < lattice_.orders(); ++c)
      if ((alive >> c & 1U) != 0) last_axis_of_class(tile, {from, sizes.rend()}, c, before);
  }

  /// Sizes of the last axis, largest first: the largest that fits, and those below it that do not
  /// divide a larger one.
  void last_axis_of_class(Point tile, const std::pair<Position, Position>& sizes, int order_class,
                          std::size_t before) {
    const int axis = axes_.back();
    const std::vector<std::int16_t>& next = inside(axis, top_).next;
    std::int16_t largest = -1;
    for (auto position = sizes.first; position != sizes.second; ++position) {
      if (largest >= 0 && next[*position] >= 0 && next[*position] <= largest) continue;
      tile[axis] = *position;
      const auto& [walk, footprints] =
          last_walk(tile, static_cast<std::size_t>(position - sizes.first));
      if (largest < 0 && !fits(tile, footprints, order_class)) continue;
      largest = std::max(largest, *position);
      consider(walk, order_class, before);
      if (only_minimum_) return;
    }
  }

  using WalkAndCapacity = std::pair<Walk, Footprints>;

  /// The walk of the `i`th size of the last axis, made once for all classes, and what must fit.
  const WalkAndCapacity& last_walk(const Point& tile, std::size_t i) {
    while (last_walks_.size() <= i) last_walks_.emplace_back();
    std::optional<WalkAndCapacity>& walk = last_walks_[i];
    if (!walk) walk = {lattice_.walk(tile, within_), lattice_.footprints(tile)};
    return *walk;
  }

  void consider(const Walk& walk, int order_class, std::size_t before) {
    const double run = run_of(walk, order_class);
    if (volume_seconds(walk, order_class) > budget(steps(walk, run))) return;
    if (only_minimum_) return lower_limit(walk, order_class);
    if (can_grow(walk.tile, order_class, top_)) return;
    if (only_reductions_ && !can_grow(walk.tile, order_class, within_)) return;  // already met
    add(walk, order_class, before);
  }

  bool can_grow(Point tile, int order_class, const Point& top) const {
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

  double run_of(const Walk& walk, int order_class) const {
    double trips = 1;
    for (const int axis : lattice_.order(order_class)) {
      if (walk.tile[axis] == walk.within[axis]) continue;
      if (!lattice_.axes()[axis].reduction) break;
      trips *= walk.trips[axis];
    }
    return trips;
  }

  double joint_power(double power, double steps) const {
    return spec_.innermost ? objective_.join(power, objective_.compute(steps)) : power;
  }

  void lower_limit(const Walk& walk, int order_class) {
    const double power = objective_.power(volume_seconds(walk, order_class));
    limit_ = std::min(limit_, joint_power(power, steps(walk, run_of(walk, order_class))));
    budget_steps_ = 0;
  }

  void add(const Walk& walk, int order_class, std::size_t before) {
    add(walk,
        {order_class, objective_.power(volume_seconds(walk, order_class)),
         run_of(walk, order_class)},
        before);
  }
  void add(const Walk& walk, const ClassCost& cost, std::size_t before) {
    const double least = joint_power(cost.power, steps(walk, cost.run));
    for (std::size_t i = before; i < found_.size(); ++i) {
      if (found_[i].tile != walk.tile) continue;
      found_[i].least = std::min(found_[i].least, least);
      found_[i].classes.push_back(cost);
      return;
    }
    found_.push_back({walk.tile, {cost}, least});
  }

  void add_base() {
    const Walk walk = lattice_.walk(lattice_.base(), within_);
    const double cost = reload_seconds();
    for (int c = 0; c < lattice_.orders(); ++c) {
      const double run = run_of(walk, c);
      if (cost <= budget(steps(walk, run))) add(walk, {c, objective_.power(cost), run}, 0);
    }
  }

  /// Sorts, and drops classes that cost as much as one that accumulates at least as long.
  void finish() {
    for (TileChoice& each : found_) {
      std::vector<ClassCost>& classes = each.classes;
      std::sort(classes.begin(), classes.end(), [](const ClassCost& a, const ClassCost& b) {
        if (a.power != b.power) return a.power < b.power;
        return a.run != b.run ? a.run > b.run : a.order_class < b.order_class;
      });
      const auto last =
          std::unique(classes.begin(), classes.end(),
                      [](const ClassCost& a, const ClassCost& b) { return a.power == b.power; });
      classes.erase(last, classes.end());
    }
    std::sort(found_.begin(), found_.end(), [](const TileChoice& a, const TileChoice& b) {
      return a.least != b.least ? a.least < b.least : a.tile < b.tile;
    });
  }

  const Lattice& lattice_;
  const LevelSpec& spec_;
  const Objective& objective_;
  Point within_;
  Point top_{};  // largest sizes of the current walk
  double used_, limit_;
  double per_read_ = 0;
  double budget_steps_ = 0;  // that `budget_` is for; 0: none
  double budget_ = 0;
  bool only_minimum_ = false;
  bool only_reductions_ = false;
  std::vector<int> axes_;
  std::vector<std::optional<WalkAndCapacity>> last_walks_;
  std::vector<TileChoice> found_;
};

}  // namespace

std::vector<TileChoice> maximal_tiles(const Lattice& lattice, const LevelSpec& spec,
                                      const Objective& objective, const TileQuery& query) {
  return Enumeration(lattice, spec, objective, query).all();
}

double cheapest(const Lattice& lattice, const LevelSpec& spec, const Objective& objective) {
  const TileQuery anything{
      .within = lattice.whole(), .used = 0, .limit = std::numeric_limits<double>::infinity()};
  return Enumeration(lattice, spec, objective, anything).minimum();
}

}  // namespace tileplan
