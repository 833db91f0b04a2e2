// SPDX-License-Identifier: Apache-2.0
// The tile sizes that the solver finds are not whole numbers. They only decide which loops exist
// between tiles.
#include "ttile.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "flat.h"
#include "mopt.h"
#include "relax.h"
#include "search_space.h"

namespace tileplan {

namespace {

/// The solver's tile sizes are real numbers. In a band (TtilePermutation::bands), a dimension gets
/// a loop if its tile grows by more than this factor, or in the last band if it still needs a loop.
/// The solver leaves smaller differences between tiles that should be equal.
constexpr double kGrowth = 1.05;

constexpr double kKeptShare = 0.4;

std::vector<std::vector<Dim>> bands_of(const Computation& computation, const Relaxed& relaxed,
                                       const PerDim<double>& base, const Tile& covered) {
  std::vector<std::vector<Dim>> bands(relaxed.tiles.size() + 1);
  for (int d = 0; d < computation.dims(); ++d) {
    double inner = base[Dim{d}];
    bool looped = inner >= static_cast<double>(covered[Dim{d}]);
    for (std::size_t band = 0; band < bands.size(); ++band) {
      const double outer = band < relaxed.tiles.size() ? relaxed.tiles[band][Dim{d}]
                                                       : static_cast<double>(covered[Dim{d}]);
      const bool is_last_chance = band + 1 == bands.size() && !looped;
      if (outer > kGrowth * inner || is_last_chance) bands[band].push_back(Dim{d});
      looped = looped || outer > kGrowth * inner;
      inner = outer;
    }
  }
  return bands;
}

/// Returns the indices of the bands (TtilePermutation::bands) in which `dim` has a loop, innermost
/// first.
std::vector<std::size_t> bands_with(const TtilePermutation& permutation, Dim dim) {
  std::vector<std::size_t> with;
  for (std::size_t band = 0; band < permutation.bands.size(); ++band)
    if (std::ranges::find(permutation.bands[band], dim) != permutation.bands[band].end())
      with.push_back(band);
  return with;
}

/// Multiplies the size of `dim` in all tiles outside each band of `with` by the trips of its loop
/// in this band, which `factors` lists.
void set_tiles(Dim dim, const std::vector<std::size_t>& with, const Factors& factors,
               std::vector<Tile>& tiles) {
  for (std::size_t i = 0; i < with.size(); ++i)
    for (std::size_t level = with[i]; level < tiles.size(); ++level)
      tiles[level][dim] *= factors[i];
}

}  // namespace

std::optional<TtilePermutation> ttile_permutation(const Computation& computation,
                                                  const KernelCombo& kernels,
                                                  const OrderClasses& classes,
                                                  const Machine& machine) {
  RelaxProblem problem = movement_problem(computation, kernels, machine);
  const Tile covered = covered_extents(computation, kernels.vectorised, machine.vector.lanes);
  std::optional<TtilePermutation> best;
  double seconds = HUGE_VAL;
  for (const auto& choice : class_choices(classes.classes.size(), machine.caches.size())) {
    set_orders(problem, classes, choice);
    const Relaxed relaxed = relax(computation, problem);
    if (!relaxed.solved || relaxed.seconds >= seconds) continue;
    seconds = relaxed.seconds;
    best = {.classes = choice, .bands = bands_of(computation, relaxed, problem.base, covered)};
  }
  return best;
}

std::vector<PerLevelSchedule> ttile_completions(const Computation& computation,
                                                const TtilePermutation& permutation,
                                                const KernelCombo& kernels, const Tile& covered) {
  std::vector<PerLevelSchedule> all{
      {.tiles = std::vector<Tile>(permutation.classes.size(), kernels.base),
       .classes = permutation.classes}};
  for (int d = 0; d < computation.dims(); ++d) {
    const std::vector<std::size_t> with = bands_with(permutation, Dim{d});
    if (with.empty()) continue;
    std::vector<PerLevelSchedule> longer;
    for (const Factors& factors :
         ordered_factorisations(covered[Dim{d}] / kernels.base[Dim{d}], with.size()))
      for (PerLevelSchedule one : all) {
        set_tiles(Dim{d}, with, factors, one.tiles);
        longer.push_back(std::move(one));
      }
    all = std::move(longer);
  }
  return all;
}

std::int64_t reduction_trips(const Computation& computation, const Schedule& schedule) {
  std::int64_t trips = 1;
  int first = 0;
  while (first < computation.dims() && computation.role(Dim{first}) != Role::reduction) ++first;
  for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop) {
    if (loop->kind == Kind::unroll || loop->kind == Kind::vector) continue;
    if (first == computation.dims() || loop->dim != computation.name(Dim{first})) break;
    trips *= loop->count;
  }
  return trips;
}

double movement_seconds(const Computation& computation, const Schedule& schedule,
                        const Machine& machine) {
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  const std::int64_t unit = computation.unit_bytes();
  double seconds = 0;
  for (const CacheLevel& cache : machine.caches) {
    const PerTensor<std::int64_t> volumes =
        flat_volumes(computation, nest, cache.capacity_bytes / unit, CapacityRule::ideal);
    seconds +=
        static_cast<double>(weighted(computation, volumes) * unit) / cache.fill_bytes_per_second;
  }
  return seconds;
}

std::vector<std::size_t> ttile_order(const std::vector<std::int64_t>& trips,
                                     const std::function<double(std::size_t)>& cost) {
  std::vector<std::size_t> places(trips.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (places.empty()) return places;
  std::vector<std::int64_t> sorted = trips;
  std::ranges::sort(sorted, std::greater<>());
  const auto kept =
      static_cast<std::size_t>(std::ceil(kKeptShare * static_cast<double>(trips.size())));
  std::erase_if(places, [&](std::size_t place) { return trips[place] < sorted[kept - 1]; });
  std::vector<double> costs(trips.size());
  for (const std::size_t place : places) costs[place] = cost(place);
  std::ranges::stable_sort(places, {}, [&](std::size_t place) { return costs[place]; });
  return places;
}

}  // namespace tileplan
