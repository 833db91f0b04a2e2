// SPDX-License-Identifier: Apache-2.0
// The papers say nothing about layouts and prefetches, so schedules get the first layouts that have
// a kernel, and the prefetches of the machine.
#include "paper_selections.h"

#include <algorithm>
#include <map>

#include "cost.h"
#include "mopt.h"
#include "population.h"
#include "ttile.h"

namespace tileplan {

namespace {

/// TTile calls a microkernel fast if it reaches this share of the speed of the fastest one. TTile
/// measures at most this many schedules.
constexpr double kFastShare = 0.85;
constexpr int kMostMeasured = 200;

/// Measures the first `most` of `points` that are valid in some layouts, in the given order.
void measure_in_order(const ScheduleSpace& space, SearchSession& session,
                      const std::vector<SpacePoint>& points, int most) {
  for (const SpacePoint& point : points) {
    const auto valid = space.in_first_layouts(point);
    if (!valid) continue;
    if (most-- == 0 || session.measure(space.space().text(*valid)) == nullptr) return;
  }
}

std::vector<KernelCombo> fast_kernels(const ScheduleSpace& space) {
  std::vector<KernelCombo> kernels = space.kernels();
  const double best =
      std::ranges::min_element(kernels, {}, &KernelCombo::compute_seconds)->compute_seconds;
  std::erase_if(kernels,
                [&](const KernelCombo& one) { return one.compute_seconds > best / kFastShare; });
  std::ranges::stable_sort(kernels, {}, &KernelCombo::compute_seconds);
  return kernels;
}

/// Returns the sizes along the vectorised dimension and along reductions. Microkernels with equal
/// sizes share one TtilePermutation.
std::vector<std::int64_t> class_key(const Computation& computation, const KernelCombo& kernels) {
  std::vector<std::int64_t> key;
  for (int d = 0; d < computation.dims(); ++d)
    if (Dim{d} == kernels.vectorised || computation.role(Dim{d}) == Role::reduction)
      key.push_back(kernels.base[Dim{d}]);
  return key;
}

/// Adds the points of `tiles`, one for each position of the list of blocks (lambda), or one point
/// without such a list.
void add_points(const ScheduleSpace& space, const KernelCombo& kernels,
                const PerLevelSchedule& tiles, std::vector<SpacePoint>& points) {
  const int loops = space.loops_of_lambda(kernels, tiles);
  for (int inside = 0; inside <= loops; ++inside)
    points.push_back(space.point_of(kernels, tiles, inside));
}

std::vector<SpacePoint> ttile_points(const SearchProblem& problem) {
  const Computation& computation = problem.computation;
  std::map<std::vector<std::int64_t>, std::optional<TtilePermutation>> permutations;
  std::vector<SpacePoint> points;
  for (const KernelCombo& kernels : fast_kernels(problem.space)) {
    const auto [found, is_new] = permutations.try_emplace(class_key(computation, kernels));
    if (is_new)
      found->second =
          ttile_permutation(computation, kernels, problem.space.classes(), problem.machine);
    if (!found->second) continue;
    const Tile covered =
        covered_extents(computation, kernels.vectorised, problem.machine.vector.lanes);
    for (const PerLevelSchedule& tiles :
         ttile_completions(computation, *found->second, kernels, covered))
      add_points(problem.space, kernels, tiles, points);
  }
  return points;
}

std::vector<std::size_t> places_in_order(const SearchProblem& problem,
                                         const std::vector<SpacePoint>& points, TtileOrder order) {
  const auto schedule = [&](std::size_t place) { return problem.space.schedule(points[place]); };
  std::vector<std::int64_t> trips(points.size(), 1);
  if (order == TtileOrder::model)
    return ttile_order(trips, [&](std::size_t place) {
      return predict(problem.computation, schedule(place), problem.machine).seconds;
    });
  for (std::size_t place = 0; place < points.size(); ++place)
    trips[place] = reduction_trips(problem.computation, schedule(place));
  return ttile_order(trips, [&](std::size_t place) {
    return movement_seconds(problem.computation, schedule(place), problem.machine);
  });
}

}  // namespace

void mopt_search(const SearchProblem& problem, SearchSession& session) {
  const KernelCombo kernels = fast_kernels(problem.space).front();
  std::vector<SpacePoint> points;
  for (const MoptSelection& selection :
       mopt_selections(problem.computation, kernels, problem.space.classes(), problem.machine))
    points.push_back(problem.space.point_of(kernels, selection.schedule));
  measure_in_order(problem.space, session, points, std::numeric_limits<int>::max());
}

void ttile_search(const SearchProblem& problem, SearchSession& session, TtileOrder order) {
  const std::vector<SpacePoint> points = ttile_points(problem);
  std::vector<SpacePoint> sorted;
  for (const std::size_t place : places_in_order(problem, points, order))
    sorted.push_back(points[place]);
  measure_in_order(problem.space, session, sorted, kMostMeasured);
}

}  // namespace tileplan
