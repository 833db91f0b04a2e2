// SPDX-License-Identifier: Apache-2.0
// If a strategy's own draws give no new point, this file draws random points.
#include "population.h"

#include <algorithm>

namespace tileplan {

namespace {

std::optional<SpacePoint> unseen_point(const StrategySpace& space, const SearchSession& session,
                                       const DrawPoint& draw) {
  for (int i = 0; i < kMostTries; ++i)
    if (SpacePoint point = draw(); is_valid(space, point) && !session.knows(space.text(point)))
      return point;
  return std::nullopt;
}

}  // namespace

std::optional<Individual> RandomSearch::measure(const SpacePoint& point) {
  const Measured* measured = session.measure(space.text(point));
  if (measured == nullptr) return std::nullopt;
  return Individual{.point = point, .measured = measured};
}

std::optional<Individual> RandomSearch::measure_unseen(const DrawPoint& draw) {
  const DrawPoint anywhere = [this] { return random_point(space, random); };
  std::optional<SpacePoint> point = unseen_point(space, session, draw ? draw : anywhere);
  if (!point) point = unseen_point(space, session, anywhere);
  return point ? measure(*point) : std::nullopt;
}

bool RandomSearch::grow(std::vector<Individual>& individuals, std::size_t size,
                        const DrawPoint& draw) {
  while (individuals.size() < size) {
    const std::optional<Individual> next = measure_unseen(draw);
    if (!next) return false;
    individuals.push_back(*next);
  }
  return true;
}

const Individual& RandomSearch::draw_by_speed(const std::vector<Individual>& individuals) {
  std::vector<double> speeds;
  double sum = 0;
  for (const Individual& one : individuals) sum += speeds.emplace_back(one.measured->speed());
  if (sum == 0) return individuals[random_place(individuals.size(), random)];
  return individuals[std::discrete_distribution<std::size_t>(speeds.begin(), speeds.end())(random)];
}

void sort_by_speed(std::vector<Individual>& individuals) {
  std::ranges::stable_sort(individuals, {},
                           [](const Individual& one) { return one.measured->mean(); });
}

std::vector<Individual> first_of(const std::vector<Individual>& individuals, int count) {
  const auto kept = std::min(individuals.size(), static_cast<std::size_t>(count));
  return {individuals.begin(), individuals.begin() + static_cast<std::ptrdiff_t>(kept)};
}

}  // namespace tileplan
