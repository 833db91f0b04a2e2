// SPDX-License-Identifier: Apache-2.0
// At most a fifth of the first generation are the fastest measured points, and the others are
// random.
#include "evolve.h"

#include <algorithm>
#include <cmath>

#include "speed_model.h"

namespace tileplan {

namespace {

constexpr std::size_t kPopulation = 2048, kMeasured = kPopulation / 5;
constexpr int kGenerations = 4;
/// A child has one redrawn parameter with this probability. Otherwise it mixes the parameters of
/// two parents.
constexpr double kMutationChance = 0.85;

class Evolution {
 public:
  Evolution(RandomSearch& search, const SpeedModel& model) : search_(search), model_(model) {}

  std::vector<SpacePoint> propose(std::vector<Individual> measured) {
    sort_by_speed(measured);
    for (const Individual& one : first_of(measured, kMeasured)) points_.push_back(one.point);
    const SpacePoint start = points_.front();
    while (points_.size() < kPopulation) points_.push_back(drawn(start));
    BestPoints best(kProposed);
    for (int generation = 0;; ++generation) {
      const std::vector<float> scores = model_.scores(points_);
      for (std::size_t i = 0; i < points_.size(); ++i) best.add(scores[i], points_[i]);
      if (generation == kGenerations) return best.sorted();
      breed(scores);
    }
  }

 private:
  /// Redraws all parameters. Returns `start` when the new point breaks a chain of divisors.
  SpacePoint drawn(const SpacePoint& start) {
    SpacePoint point = start;
    for (const Parameter& parameter : search_.all)
      redraw(search_.space, parameter, point, search_.random);
    return chains_hold(search_.space, point) ? point : start;
  }

  /// Makes the next generation. Parents are drawn with probabilities proportional to exp(score),
  /// because the rank loss makes differences of scores the logarithms of odds.
  void breed(const std::vector<float>& scores) {
    const float most = std::ranges::max(scores);
    std::vector<double> chances;
    chances.reserve(scores.size());
    for (const float score : scores) chances.push_back(std::exp(score - most));
    std::discrete_distribution<std::size_t> parent(chances.begin(), chances.end());
    std::vector<SpacePoint> children;
    while (children.size() < kPopulation) {
      const SpacePoint& one = points_[parent(search_.random)];
      const SpacePoint& other = points_[parent(search_.random)];
      const SpacePoint child = child_of(one, other);
      children.push_back(chains_hold(search_.space, child) ? child : one);
    }
    points_ = std::move(children);
  }

  SpacePoint child_of(const SpacePoint& one, const SpacePoint& other) {
    SpacePoint child = one;
    if (std::bernoulli_distribution(kMutationChance)(search_.random)) {
      redraw(search_.space, search_.all[random_place(search_.all.size(), search_.random)], child,
             search_.random);
      return child;
    }
    std::bernoulli_distribution second(0.5);
    for (const Parameter& parameter : search_.all)
      if (second(search_.random))
        for (const int coordinate : parameter.coordinates) child[coordinate] = other[coordinate];
    return child;
  }

  RandomSearch& search_;
  const SpeedModel& model_;
  std::vector<SpacePoint> points_;
};

}  // namespace

void evolve_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed) {
  learned_search(
      space, session, seed,
      [](RandomSearch& search, const SpeedModel& model, const std::vector<Individual>& measured) {
        return Evolution(search, model).propose(measured);
      });
}

}  // namespace tileplan
