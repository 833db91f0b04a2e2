// SPDX-License-Identifier: Apache-2.0
// A point becomes a schedule with one tile per cache level, and the schedule becomes text.
#include "schedule_space.h"

#include <algorithm>

#include "check.h"
#include "integers.h"
#include "loop_features.h"
#include "nest.h"
#include "packing.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr std::array kPrefetch{0, 4, 8, 16, 32, 64, 128};

/// The coordinate `ahead` covers only the outermost loops, and the coordinate `pack` only the first
/// positions at which the input can be packed.
constexpr int kAheadLoops = 3, kPackings = 2;

/// model_choice() compares at most this many microkernels, which are more than `plan` searches at
/// first.
constexpr int kModelCombos = 40;

/// Returns a key that sorts microkernels by vectors first, then unrolled reductions, then the other
/// sizes.
std::vector<std::int64_t> size_key(const Computation& computation, const KernelCombo& kernels) {
  Tile size = kernels.base;
  if (kernels.lambda)
    size[kernels.lambda->dim] = std::ranges::max(kernels.lambda->parts, {}, &Part::size).size;
  std::vector<std::int64_t> key{size[kernels.vectorised]};
  for (const bool reductions : {true, false})
    for (int d = computation.dims() - 1; d >= 0; --d)
      if (Dim{d} != kernels.vectorised &&
          (computation.role(Dim{d}) == Role::reduction) == reductions)
        key.push_back(size[Dim{d}]);
  // Microkernels with equal largest sizes are sorted by the sum of their list of blocks (lambda),
  // and microkernels without such a list come first.
  key.push_back(kernels.lambda ? kernels.lambda->block : 0);
  if (kernels.lambda)
    for (const Part& part : kernels.lambda->parts) key.insert(key.end(), {part.times, part.size});
  return key;
}

/// Moves the list of blocks (lambda) outwards past `loops` loops over its dimension, and multiplies
/// its block sizes by the trip counts of these loops.
void raise_lambda(Schedule& schedule, int loops) {
  auto place = std::ranges::find_if(schedule.loops, &Specifier::is_lambda);
  for (auto at = place; loops > 0 && at != schedule.loops.begin();) {
    --at;
    if (at->kind != Kind::tile || at->dim != place->dim) continue;
    for (Part& part : place->parts) part.size *= at->count;
    std::rotate(at, place, std::next(place));
    place = at;
    --loops;
  }
}

}  // namespace

ScheduleSpace::ScheduleSpace(const Computation& computation, const Machine& machine,
                             Runnable runnable)
    : computation_(computation),
      machine_(machine),
      runnable_(std::move(runnable)),
      kernels_(kernel_combos(computation, machine, std::numeric_limits<int>::max())),
      classes_(order_classes(computation)),
      layouts_(layouts_of(computation, LayoutChoice::any, machine.vector)) {
  std::ranges::sort(kernels_, {},
                    [&](const KernelCombo& one) { return size_key(computation, one); });
  covered_ = covered_extents(computation, kernels_.front().vectorised, machine.vector.lanes);
  add("kernel", Topology::categorical, kernels_.size());
  first_order_ = static_cast<int>(space_.coordinates.size());
  for (const CacheLevel& cache : machine.caches)
    add("order " + cache.name, Topology::categorical, classes_.classes.size());
  add_chains();
  lambda_ = add("lambda", Topology::discrete, machine.caches.size() + 2);
  prefetch_ = add("prefetch", Topology::discrete, kPrefetch.size());
  ahead_ = add("ahead", Topology::categorical, kAheadLoops + 1);
  pack_ = add("pack", Topology::categorical, kPackings + 1);
  layout_ = add("layout", Topology::categorical, layouts_.size());
  streaming_ = add("nt", Topology::categorical, 2);
  space_.accepts = [this](const SpacePoint& point) { return accepts(point); };
  space_.text = [this](const SpacePoint& point) { return to_string(schedule(point)); };
  space_.repeats = [this](const SpacePoint& point) { return repeats(point); };
  space_.features = [this](const SpacePoint& point) {
    return loop_features(computation_, schedule(point), machine_.vector.lanes);
  };
}

int ScheduleSpace::add(const std::string& name, Topology topology, std::size_t values) {
  space_.coordinates.push_back(
      {.name = name, .topology = topology, .values = std::max(1, static_cast<int>(values))});
  return static_cast<int>(space_.coordinates.size()) - 1;
}

void ScheduleSpace::add_chains() {
  for (int d = 0; d < computation_.dims(); ++d) {
    const Dim dim{d};
    if (covered_[dim] == 1) continue;
    Chain chain{.coordinates = {},
                .sizes = divisors(covered_[dim]),
                .total = [this, dim](const SpacePoint& point) {
                  return covered_[dim] / kernels_of(point).base[dim];
                }};
    for (const CacheLevel& cache : machine_.caches)
      chain.coordinates.push_back(
          add(computation_.name(dim) + " " + cache.name, Topology::discrete, chain.sizes.size()));
    space_.chains.push_back(std::move(chain));
    tiled_.push_back(dim);
  }
}

Schedule ScheduleSpace::schedule(const SpacePoint& point) const {
  const KernelCombo& kernels = kernels_of(point);
  PerLevelSchedule per_level;
  for (std::size_t level = 0; level < machine_.caches.size(); ++level) {
    per_level.tiles.push_back(kernels.base);
    for (std::size_t i = 0; i < tiled_.size(); ++i) {
      const Chain& chain = space_.chains[i];
      per_level.tiles.back()[tiled_[i]] *= chain.sizes[point[chain.coordinates[level]]];
    }
    per_level.classes.push_back(point[first_order_ + level]);
  }
  Schedule schedule =
      to_schedule(computation_, kernels, classes_, per_level, machine_.vector.lanes);
  if (kernels.lambda) raise_lambda(schedule, point[lambda_]);
  schedule.prefetch = kPrefetch[point[prefetch_]];
  if (point[ahead_] > 0) schedule.ahead = point[ahead_] - 1;
  schedule.in = layouts_[point[layout_]].in;
  schedule.out = layouts_[point[layout_]].out;
  schedule.nontemporal = point[streaming_] == 1;
  if (point[pack_] == 0) return schedule;
  const std::vector<Schedule> packed = input_packings(computation_, schedule);
  const auto place = static_cast<std::size_t>(point[pack_]) - 1;
  return place < packed.size() ? packed[place] : schedule;
}

std::ptrdiff_t ScheduleSpace::lambda_loops(const KernelCombo& kernels,
                                           const SpacePoint& point) const {
  for (std::size_t i = 0; i < tiled_.size(); ++i)
    if (kernels.lambda && tiled_[i] == kernels.lambda->dim)
      return std::ranges::count_if(factors_of(space_.chains[i], point),
                                   [](std::int64_t trips) { return trips > 1; });
  return 0;
}

bool ScheduleSpace::accepts(const SpacePoint& point) const {
  if (point[lambda_] > lambda_loops(kernels_of(point), point)) return false;
  const Schedule whole = schedule(point);
  const bool is_packed = whole.pack_input.has_value();
  return is_packed == (point[pack_] > 0) && point[ahead_] <= static_cast<int>(whole.loops.size()) &&
         runnable_(whole);
}

std::vector<Dim> ScheduleSpace::loops_around(std::size_t level, const OrderClass& order,
                                             const SpacePoint& point) const {
  std::vector<Dim> loops;
  for (const Dim dim : order.order)
    for (std::size_t i = 0; i < tiled_.size(); ++i)
      if (tiled_[i] == dim && factors_of(space_.chains[i], point)[level + 1] > 1)
        loops.push_back(dim);
  return loops;
}

bool ScheduleSpace::repeats(const SpacePoint& point) const {
  for (std::size_t level = 0; level < machine_.caches.size(); ++level) {
    const auto own = classes_.classes.begin() + point[first_order_ + level];
    const std::vector<Dim> loops = loops_around(level, *own, point);
    if (std::any_of(classes_.classes.begin(), own, [&](const OrderClass& earlier) {
          return loops_around(level, earlier, point) == loops;
        }))
      return true;
  }
  return false;
}

SpacePoint ScheduleSpace::naive() const {
  SpacePoint point(space_.coordinates.size(), 0);
  for (; point[0] < space_.coordinates[0].values; ++point[0])
    if (const auto valid = in_first_layouts(point)) return *valid;
  throw Error("space: no untiled schedule of " + name_of(computation_.problem) + " has a kernel");
}

SpacePoint ScheduleSpace::point_of(const KernelCombo& kernels, const PerLevelSchedule& tiles,
                                   int inside) const {
  SpacePoint point(space_.coordinates.size(), 0);
  const auto place = std::ranges::find(kernels_, kernels);
  TILEPLAN_CHECK(place != kernels_.end(), "a kernel of the model that the space has not");
  point[0] = static_cast<int>(place - kernels_.begin());
  for (std::size_t level = 0; level < tiles.tiles.size(); ++level) {
    point[first_order_ + level] = tiles.classes[level];
    for (std::size_t i = 0; i < tiled_.size(); ++i) {
      const auto& [coordinates, sizes, total] = space_.chains[i];
      const std::int64_t size = tiles.tiles[level][tiled_[i]] / kernels.base[tiled_[i]];
      point[coordinates[level]] =
          static_cast<int>(std::ranges::lower_bound(sizes, size) - sizes.begin());
    }
  }
  point[lambda_] = inside;
  const auto* const prefetch = std::ranges::find(kPrefetch, machine_.rates.prefetch_steps);
  if (prefetch != kPrefetch.end())
    point[prefetch_] = static_cast<int>(prefetch - kPrefetch.begin());
  return point;
}

int ScheduleSpace::loops_of_lambda(const KernelCombo& kernels,
                                   const PerLevelSchedule& tiles) const {
  return static_cast<int>(lambda_loops(kernels, point_of(kernels, tiles)));
}

SpacePoint ScheduleSpace::model_choice() const {
  std::optional<SpacePoint> best;
  double seconds = 0;
  for (const KernelCombo& kernels : kernel_combos(computation_, machine_, kModelCombos)) {
    const ExactResult found =
        exact_search(computation_, kernels, classes_, machine_, {.incumbent = seconds});
    if (found.best.empty() || (seconds > 0 && found.best.front().seconds >= seconds)) continue;
    seconds = found.best.front().seconds;
    best = point_of(kernels, found.best.front());
  }
  if (best)
    if (const auto runnable = in_first_layouts(*best)) return *runnable;
  throw Error("space: the model's schedule of " + name_of(computation_.problem) +
              " has no kernel in any layout");
}

std::optional<SpacePoint> ScheduleSpace::in_first_layouts(SpacePoint point) const {
  for (point[layout_] = 0; point[layout_] < space_.coordinates[layout_].values; ++point[layout_])
    if (is_valid(space_, point)) return point;
  return std::nullopt;
}

SpacePoint ScheduleSpace::untiled(SpacePoint point) const {
  for (const Chain& chain : space_.chains)
    for (const int coordinate : chain.coordinates) point[coordinate] = 0;
  for (const int coordinate : {lambda_, ahead_, pack_}) point[coordinate] = 0;
  return is_valid(space_, point) ? point : in_first_layouts(point).value_or(point);
}

}  // namespace tileplan
