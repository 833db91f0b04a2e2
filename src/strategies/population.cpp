// SPDX-License-Identifier: Apache-2.0
// Drawing, measuring and choosing points.
#include "population.h"

#include <algorithm>

namespace tileplan {

std::optional<SpacePoint> unseen_point(const Space& space, const Session& session,
                                       const std::function<SpacePoint()>& draw,
                                       std::mt19937_64& random) {
  const auto is_new = [&](const SpacePoint& point) {
    return is_valid(space, point) && !session.knows(space.text(point));
  };
  for (int i = 0; i < kMostTries; ++i)
    if (SpacePoint point = draw(); is_new(point)) return point;
  for (int i = 0; i < kMostTries; ++i)
    if (SpacePoint point = random_point(space, random); is_new(point)) return point;
  return std::nullopt;
}

std::optional<Individual> measure_point(const Space& space, Session& session,
                                        const SpacePoint& point) {
  const Measured* measured = session.measure(space.text(point));
  if (measured == nullptr) return std::nullopt;
  return Individual{.point = point, .measured = measured};
}

std::vector<Individual> random_population(const Space& space, Session& session, std::size_t count,
                                          std::mt19937_64& random) {
  std::vector<Individual> population;
  const auto draw = [&] { return random_point(space, random); };
  while (population.size() < count) {
    const std::optional<SpacePoint> point = unseen_point(space, session, draw, random);
    const auto individual = point ? measure_point(space, session, *point) : std::nullopt;
    if (!individual) break;
    population.push_back(*individual);
  }
  return population;
}

const Individual& by_speed(const std::vector<Individual>& individuals, std::mt19937_64& random) {
  std::vector<double> speeds;
  double sum = 0;
  for (const Individual& one : individuals) sum += speeds.emplace_back(one.measured->speed());
  if (sum == 0) return individuals[random_place(individuals.size(), random)];
  return individuals[std::discrete_distribution<std::size_t>(speeds.begin(), speeds.end())(random)];
}

void sort_by_speed(std::vector<Individual>& individuals) {
  std::stable_sort(individuals.begin(), individuals.end(),
                   [](const Individual& a, const Individual& b) {
                     return a.measured->mean() < b.measured->mean();
                   });
}

}  // namespace tileplan
