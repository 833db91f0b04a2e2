// SPDX-License-Identifier: Apache-2.0
// All searches ask a session for measurements; they differ in the points that they choose.
#include "baselines.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "population.h"

namespace tileplan {

namespace {

/// Between measurements, grid search asks only once per this number of points whether the session
/// is over, because asking costs more than skipping a point.
constexpr int kPointsPerCheck = 1024;

/// The best kElite individuals of a population pass unchanged into the next generation. Each
/// parameter of a child is redrawn with the probability kRedrawChance.
constexpr int kPopulation = 100, kElite = 3;
constexpr double kRedrawChance = 0.1;

constexpr double kFirstTemperature = 0.5;

/// gbfs_search() draws at most this many moves from each point that it expands.
constexpr std::size_t kBranches = 5;

/// Sets the coordinates below `first` to 0, and moves to the next value of the others in
/// mixed-radix order. Returns false at the end.
bool increment(const StrategySpace& space, SpacePoint& point, std::size_t first) {
  std::fill_n(point.begin(), first, 0);
  for (std::size_t i = first; i < point.size(); ++i) {
    if (++point[i] < space.coordinates[i].values) return true;
    point[i] = 0;
  }
  return false;
}

/// Returns the valid points in which one prime factor of one divisor chain has moved.
std::vector<SpacePoint> all_factor_moves(const StrategySpace& space, const SpacePoint& point) {
  std::vector<SpacePoint> moves;
  for (const Chain& chain : space.chains)
    for (const Factors& factors : factor_moves(factors_of(chain, point))) {
      SpacePoint moved = point;
      set_factors(chain, factors, moved);
      if (is_valid(space, moved)) moves.push_back(std::move(moved));
    }
  return moves;
}

/// Crosses two parents over and redraws some parameters. The child may be invalid.
SpacePoint make_child(RandomSearch& search, const std::vector<Individual>& population) {
  SpacePoint point = search.draw_by_speed(population).point;
  const SpacePoint& other = search.draw_by_speed(population).point;
  const std::size_t cut = random_place(search.all.size(), search.random);
  std::bernoulli_distribution redraws(kRedrawChance);
  for (std::size_t i = 0; i < search.all.size(); ++i) {
    if (i >= cut)
      for (const int coordinate : search.all[i].coordinates) point[coordinate] = other[coordinate];
    if (redraws(search.random)) redraw(search.space, search.all[i], point, search.random);
  }
  return point;
}

}  // namespace

void grid_search(const StrategySpace& space, SearchSession& session) {
  SpacePoint point(space.coordinates.size(), 0);
  std::optional<std::size_t> broken;
  for (std::int64_t passed = 1; passed % kPointsPerCheck != 0 || !session.is_over(); ++passed) {
    broken = last_broken(space, point);
    if (!broken && chains_hold(space, point) && !space.repeats(point) && space.accepts(point) &&
        session.measure(space.text(point)) == nullptr)
      return;
    if (!increment(space, point, broken.value_or(0))) return;
  }
}

void uniform_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed) {
  RandomSearch search{space, session, std::mt19937_64(seed)};
  std::vector<Individual> all;
  search.grow(all, std::numeric_limits<std::size_t>::max());
}

void genetic_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed) {
  RandomSearch search{space, session, std::mt19937_64(seed)};
  std::vector<Individual> population;
  search.grow(population, kPopulation);
  while (!session.is_over() && !population.empty()) {
    sort_by_speed(population);
    std::vector<Individual> next = first_of(population, kElite);
    if (!search.grow(next, kPopulation, [&] { return make_child(search, population); })) return;
    population = std::move(next);
  }
}

void annealing_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed) {
  RandomSearch search{space, session, std::mt19937_64(seed)};
  std::vector<Individual> start;
  search.grow(start, 1);
  while (!start.empty()) {
    Individual& current = start.front();
    const double temperature = kFirstTemperature * (1 - session.spent());
    const auto next = search.measure_unseen([&] {
      SpacePoint changed = current.point;
      redraw(space, search.all[random_place(search.all.size(), search.random)], changed,
             search.random);
      return changed;
    });
    if (!next) return;
    const double worse = std::log(next->measured->mean() / current.measured->mean());
    // The new point is accepted if the current point failed, since the logarithm is then -infinity
    // or NaN.
    if (!(worse > 0) || std::uniform_real_distribution<double>(0, 1)(search.random) <
                            std::exp(-worse / temperature))
      current = *next;
  }
}

void gbfs_search(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                 std::uint64_t seed) {
  RandomSearch search{space, session, std::mt19937_64(seed)};
  std::set<SpacePoint> seen{origin};
  std::vector<Individual> queue;
  if (const auto first = search.measure(origin)) queue.push_back(*first);
  while (!queue.empty()) {
    sort_by_speed(queue);
    const SpacePoint best = queue.front().point;
    queue.erase(queue.begin());
    std::vector<SpacePoint> moves = all_factor_moves(space, best);
    std::shuffle(moves.begin(), moves.end(), search.random);
    moves.resize(std::min(moves.size(), kBranches));
    for (const SpacePoint& moved : moves) {
      if (!seen.insert(moved).second) continue;
      const auto individual = search.measure(moved);
      if (!individual) return;
      queue.push_back(*individual);
    }
  }
}

}  // namespace tileplan
