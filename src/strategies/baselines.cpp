// SPDX-License-Identifier: Apache-2.0
// The searches differ in the points that they ask a session to measure.
#include "baselines.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "population.h"

namespace tileplan {

namespace {

/// The question whether the session is over costs more than a point, so few points ask it.
constexpr int kPointsPerCheck = 1024;

/// Moves to the next point in mixed radix that differs at `first` or after it; false after the last
/// one.
bool increment(const StrategySpace& space, SpacePoint& point, std::size_t first) {
  std::fill_n(point.begin(), first, 0);
  for (std::size_t i = first; i < point.size(); ++i) {
    if (++point[i] < space.coordinates[i].values) return true;
    point[i] = 0;
  }
  return false;
}

/// Returns the valid points that one factor move of one chain leads to.
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
SpacePoint make_child(RandomSearch& search, const std::vector<Individual>& population,
                      double redraw_chance) {
  SpacePoint point = search.draw_by_speed(population).point;
  const SpacePoint& other = search.draw_by_speed(population).point;
  const std::size_t cut = random_place(search.all.size(), search.random);
  std::bernoulli_distribution redraws(redraw_chance);
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

void genetic_search(const StrategySpace& space, SearchSession& session,
                    const GeneticOptions& options) {
  RandomSearch search{space, session, std::mt19937_64(options.seed)};
  const auto size = static_cast<std::size_t>(options.population);
  std::vector<Individual> population;
  search.grow(population, size);
  while (!session.is_over() && !population.empty()) {
    sort_by_speed(population);
    std::vector<Individual> next = first_of(population, options.elite);
    const auto draw = [&] { return make_child(search, population, options.redraw_chance); };
    if (!search.grow(next, size, draw)) return;
    population = std::move(next);
  }
}

void annealing_search(const StrategySpace& space, SearchSession& session,
                      const AnnealingOptions& options) {
  RandomSearch search{space, session, std::mt19937_64(options.seed)};
  std::vector<Individual> start;
  search.grow(start, 1);
  while (!start.empty()) {
    Individual& current = start.front();
    const double temperature = options.temperature * (1 - session.spent());
    const auto next = search.measure_unseen([&] {
      SpacePoint changed = current.point;
      redraw(space, search.all[random_place(search.all.size(), search.random)], changed,
             search.random);
      return changed;
    });
    if (!next) return;
    const double worse = std::log(next->measured->mean() / current.measured->mean());
    // A point is also taken when the current one failed: the logarithm is -infinity or no number.
    if (!(worse > 0) || std::uniform_real_distribution<double>(0, 1)(search.random) <
                            std::exp(-worse / temperature))
      current = *next;
  }
}

void gbfs_search(const StrategySpace& space, SearchSession& session, const GbfsOptions& options) {
  RandomSearch search{space, session, std::mt19937_64(options.seed)};
  std::set<SpacePoint> seen{options.origin};
  std::vector<Individual> queue;
  if (const auto origin = search.measure(options.origin)) queue.push_back(*origin);
  while (!queue.empty()) {
    sort_by_speed(queue);
    const SpacePoint best = queue.front().point;
    queue.erase(queue.begin());
    std::vector<SpacePoint> moves = all_factor_moves(space, best);
    std::shuffle(moves.begin(), moves.end(), search.random);
    moves.resize(std::min(moves.size(), static_cast<std::size_t>(options.branches)));
    for (const SpacePoint& moved : moves) {
      if (!seen.insert(moved).second) continue;
      const auto individual = search.measure(moved);
      if (!individual) return;
      queue.push_back(*individual);
    }
  }
}

}  // namespace tileplan
