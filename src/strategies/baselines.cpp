// SPDX-License-Identifier: Apache-2.0
// Grid, genetic, annealing, greedy best-first.
#include "baselines.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "population.h"

namespace tileplan {

namespace {

/// Points that grid_search passes between two questions whether the session is over.
constexpr int kPointsPerLook = 1024;

/// The next point in mixed radix that differs at `first` or after it; false after the last one.
bool increment(const Space& space, SpacePoint& point, std::size_t first) {
  std::fill_n(point.begin(), first, 0);
  for (std::size_t i = first; i < point.size(); ++i) {
    if (++point[i] < space.coordinates[i].values) return true;
    point[i] = 0;
  }
  return false;
}

/// The valid points that one factor move of one chain leads to.
std::vector<SpacePoint> all_factor_moves(const Space& space, const SpacePoint& point) {
  std::vector<SpacePoint> moves;
  for (const Chain& chain : space.chains)
    for (const Factors& factors : factor_moves(factors_of(chain, point))) {
      SpacePoint moved = point;
      set_factors(chain, factors, moved);
      if (is_valid(space, moved)) moves.push_back(std::move(moved));
    }
  return moves;
}

class Breeding {
 public:
  Breeding(const Space& space, const GeneticOptions& options)
      : space_(space), options_(options), parameters_(parameters(space)), random_(options.seed) {}

  void run(Session& session) {
    std::vector<Individual> population =
        random_population(space_, session, static_cast<std::size_t>(options_.population), random_);
    while (!session.is_over() && !population.empty()) population = next(session, population);
  }

 private:
  /// The elite and its children; empty when the session is over or the space exhausted.
  std::vector<Individual> next(Session& session, std::vector<Individual>& population) {
    sort_by_speed(population);
    std::vector<Individual> generation = population;
    generation.resize(std::min(generation.size(), static_cast<std::size_t>(options_.elite)));
    while (static_cast<int>(generation.size()) < options_.population) {
      const auto point = unseen_point(
          space_, session, [&] { return child(population); }, random_);
      const auto individual = point ? measure_point(space_, session, *point) : std::nullopt;
      if (!individual) return {};
      generation.push_back(*individual);
    }
    return generation;
  }

  /// May be invalid.
  SpacePoint child(const std::vector<Individual>& population) {
    SpacePoint point = by_speed(population, random_).point;
    const SpacePoint& other = by_speed(population, random_).point;
    const std::size_t cut = random_place(parameters_.size(), random_);
    std::bernoulli_distribution redraws(options_.redraw_chance);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (i >= cut)
        for (const int coordinate : parameters_[i].coordinates)
          point[coordinate] = other[coordinate];
      if (redraws(random_)) redraw(space_, parameters_[i], point, random_);
    }
    return point;
  }

  const Space& space_;
  const GeneticOptions& options_;
  const std::vector<Parameter> parameters_;
  std::mt19937_64 random_;
};

}  // namespace

void grid_search(const Space& space, Session& session) {
  SpacePoint point(space.coordinates.size(), 0);
  std::optional<std::size_t> broken;
  for (std::int64_t passed = 1; passed % kPointsPerLook != 0 || !session.is_over(); ++passed) {
    broken = last_broken(space, point);
    if (!broken && chains_hold(space, point) && !space.repeats(point) && space.accepts(point) &&
        session.measure(space.text(point)) == nullptr)
      return;
    if (!increment(space, point, broken.value_or(0))) return;
  }
}

void genetic_search(const Space& space, Session& session, const GeneticOptions& options) {
  Breeding(space, options).run(session);
}

void annealing_search(const Space& space, Session& session, const AnnealingOptions& options) {
  std::mt19937_64 random(options.seed);
  const std::vector<Parameter> all = parameters(space);
  std::vector<Individual> start = random_population(space, session, 1, random);
  while (!start.empty()) {
    Individual& current = start.front();
    const auto point = unseen_point(
        space, session,
        [&] {
          SpacePoint changed = current.point;
          redraw(space, all[random_place(all.size(), random)], changed, random);
          return changed;
        },
        random);
    const double temperature = options.temperature * (1 - session.spent());
    const auto next = point ? measure_point(space, session, *point) : std::nullopt;
    if (!next) return;
    const double worse = std::log(next->measured->mean() / current.measured->mean());
    // Also taken when the current point failed: the logarithm is then -infinity or no number.
    if (!(worse > 0) ||
        std::uniform_real_distribution<double>(0, 1)(random) < std::exp(-worse / temperature))
      current = *next;
  }
}

void gbfs_search(const Space& space, Session& session, const GbfsOptions& options) {
  std::mt19937_64 random(options.seed);
  std::set<SpacePoint> seen{options.origin};
  std::vector<Individual> queue;
  if (const auto origin = measure_point(space, session, options.origin)) queue.push_back(*origin);
  while (!queue.empty()) {
    sort_by_speed(queue);
    const SpacePoint best = queue.front().point;
    queue.erase(queue.begin());
    std::vector<SpacePoint> moves = all_factor_moves(space, best);
    std::shuffle(moves.begin(), moves.end(), random);
    moves.resize(std::min(moves.size(), static_cast<std::size_t>(options.branches)));
    for (const SpacePoint& moved : moves) {
      if (!seen.insert(moved).second) continue;
      const auto individual = measure_point(space, session, moved);
      if (!individual) return;
      queue.push_back(*individual);
    }
  }
}

}  // namespace tileplan
