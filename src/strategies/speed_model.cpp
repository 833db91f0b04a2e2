// SPDX-License-Identifier: Apache-2.0
// Batches and the share of random points are those of AutoTVM's tuner.
#include "speed_model.h"

#include <algorithm>

namespace tileplan {

namespace {

constexpr std::size_t kRandomPoints = kBatch / 20;

FeatureTable features_of(const StrategySpace& space, const std::vector<SpacePoint>& points) {
  FeatureTable table;
  for (const SpacePoint& point : points) {
    const std::vector<float> row = space.features(point);
    table.columns = row.size();
    table.values.insert(table.values.end(), row.begin(), row.end());
  }
  return table;
}

}  // namespace

void SpeedModel::fit(const std::vector<Individual>& measured) {
  std::vector<SpacePoint> points;
  std::vector<float> speeds;
  double best = 0;
  for (const Individual& one : measured) best = std::max(best, one.measured->speed());
  for (const Individual& one : measured) {
    points.push_back(one.point);
    speeds.push_back(best > 0 ? static_cast<float>(one.measured->speed() / best) : 0);
  }
  trees_.fit(features_of(space_, points), speeds);
}

std::vector<float> SpeedModel::scores(const std::vector<SpacePoint>& points) const {
  return points.empty() ? std::vector<float>{} : trees_.scores(features_of(space_, points));
}

bool BestPoints::add(float score, const SpacePoint& point) {
  if (points_.size() == most_ && score <= points_.begin()->first) return false;
  if (!points_.emplace(score, point).second) return false;
  if (points_.size() > most_) points_.erase(points_.begin());
  return true;
}

std::vector<SpacePoint> BestPoints::sorted() const {
  std::vector<SpacePoint> sorted;
  for (auto one = points_.rbegin(); one != points_.rend(); ++one) sorted.push_back(one->second);
  return sorted;
}

void learned_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed,
                    const Propose& propose) {
  SpeedModel model(space);
  RandomSearch search{space, session, std::mt19937_64(seed)};
  std::vector<Individual> measured;
  for (std::size_t end = kBatch; search.grow(measured, end); end += kBatch) {
    model.fit(measured);
    for (const SpacePoint& point : propose(search, model, measured)) {
      if (measured.size() + kRandomPoints == end + kBatch) break;
      if (!is_valid(space, point) || session.knows(space.text(point))) continue;
      const auto individual = search.measure(point);
      if (!individual) return;
      measured.push_back(*individual);
    }
  }
}

}  // namespace tileplan
