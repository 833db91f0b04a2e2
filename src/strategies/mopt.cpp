// SPDX-License-Identifier: Apache-2.0
// MOpt minimises the time of each level in turn, with the condition that no other level is slower,
// and takes the least. The minimum of the slowest level's time is the same point, so one problem is
// solved here instead of one per level.
#include "mopt.h"

#include <algorithm>
#include <cmath>

#include "integers.h"
#include "relax.h"

namespace tileplan {

namespace {

/// The solver's sizes may lie this far below a whole number because of rounding.
constexpr double kRounding = 1e-6;

PerDim<double> floor_of(const Computation& computation, const PerDim<double>& tile) {
  PerDim<double> whole{};
  for (int d = 0; d < computation.dims(); ++d) whole[Dim{d}] = std::floor(tile[Dim{d}] + kRounding);
  return whole;
}

void fix(const Computation& computation, const Relaxed& relaxed, std::size_t level,
         RelaxProblem& problem) {
  if (level < problem.fixed.size() && !problem.fixed[level])
    problem.fixed[level] = floor_of(computation, relaxed.tiles[level]);
}

/// Rounds each tile down to multiples of the base that divide the next outer tile.
std::vector<Tile> divisor_tiles(const Computation& computation, const Tile& covered,
                                const RelaxProblem& problem) {
  std::vector<Tile> tiles(problem.levels.size());
  for (int d = 0; d < computation.dims(); ++d) {
    const auto base = static_cast<std::int64_t>(problem.base[Dim{d}]);
    std::int64_t outer = covered[Dim{d}] / base;
    for (std::size_t level = tiles.size(); level-- > 0;) {
      const auto most = static_cast<std::int64_t>((*problem.fixed[level])[Dim{d}]) / base;
      const std::vector<std::int64_t> sizes = divisors(outer);
      outer = *std::prev(std::ranges::upper_bound(sizes, std::max<std::int64_t>(1, most)));
      tiles[level][Dim{d}] = outer * base;
    }
  }
  return tiles;
}

}  // namespace

RelaxProblem movement_problem(const Computation& computation, const KernelCombo& kernels,
                              const Machine& machine) {
  RelaxProblem problem;
  for (int d = 0; d < computation.dims(); ++d)
    problem.base[Dim{d}] = static_cast<double>(kernels.base[Dim{d}]);
  const auto unit = static_cast<double>(computation.unit_bytes());
  for (const CacheLevel& cache : machine.caches)
    problem.levels.push_back({.capacity = static_cast<double>(cache.capacity_bytes) / unit,
                              .bandwidth = cache.fill_bytes_per_second / unit});
  problem.rule = CapacityRule::ideal;
  problem.form = WindowForm::posynomial;
  return problem;
}

std::vector<std::vector<int>> class_choices(std::size_t classes, std::size_t levels) {
  std::vector<std::vector<int>> choices{{}};
  for (std::size_t level = 0; level < levels; ++level) {
    std::vector<std::vector<int>> longer;
    for (std::size_t one = 0; one < classes; ++one)
      for (std::vector<int> choice : choices) {
        choice.push_back(static_cast<int>(one));
        longer.push_back(std::move(choice));
      }
    choices = std::move(longer);
  }
  return choices;
}

void set_orders(RelaxProblem& problem, const OrderClasses& classes,
                const std::vector<int>& choice) {
  problem.orders.clear();
  for (const int one : choice)
    problem.orders.push_back(classes.classes[static_cast<std::size_t>(one)].order);
}

std::optional<MoptSelection> select_tiles(const Computation& computation, const Tile& covered,
                                          RelaxProblem problem) {
  MoptSelection selection;
  problem.fixed.assign(problem.levels.size(), std::nullopt);
  for (std::size_t left = problem.levels.size(); left > 0; --left) {
    const Relaxed relaxed = relax(computation, problem);
    if (!relaxed.solved) return std::nullopt;
    selection.costs.push_back(relaxed.seconds);
    problem.levels[relaxed.slowest].counts = false;
    fix(computation, relaxed, relaxed.slowest, problem);
    fix(computation, relaxed, relaxed.slowest + 1, problem);
  }
  selection.schedule.tiles = divisor_tiles(computation, covered, problem);
  return selection;
}

std::vector<MoptSelection> mopt_selections(const Computation& computation,
                                           const KernelCombo& kernels, const OrderClasses& classes,
                                           const Machine& machine) {
  RelaxProblem problem = movement_problem(computation, kernels, machine);
  const Tile covered = covered_extents(computation, kernels.vectorised, machine.vector.lanes);
  std::vector<MoptSelection> selections;
  for (const auto& choice : class_choices(classes.classes.size(), machine.caches.size())) {
    set_orders(problem, classes, choice);
    auto selection = select_tiles(computation, covered, problem);
    if (!selection) continue;
    selection->schedule.classes = choice;
    selections.push_back(std::move(*selection));
  }
  std::ranges::stable_sort(selections, {}, &MoptSelection::costs);
  return selections;
}

}  // namespace tileplan
