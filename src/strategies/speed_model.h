// SPDX-License-Identifier: Apache-2.0
// A model that learns from measurements tells a search which points to measure next.
#pragma once

#include <set>

#include "boosted_trees.h"
#include "population.h"

namespace tileplan {

/// Learns the order of points by their speed from StrategySpace::features.
class SpeedModel {
 public:
  /// Throws Error as BoostedTrees() does.
  explicit SpeedModel(const StrategySpace& space) : space_(space) {}

  void fit(const std::vector<Individual>& measured);
  /// Returns one score per point. A point that should be faster has a larger score. Requires fit().
  std::vector<float> scores(const std::vector<SpacePoint>& points) const;

 private:
  const StrategySpace& space_;
  BoostedTrees trees_;
};

/// Keeps the points with the highest scores, without repetitions.
class BestPoints {
 public:
  explicit BestPoints(std::size_t most) : most_(most) {}

  /// Keeps `point` and returns true if it is new and among the best so far.
  bool add(float score, const SpacePoint& point);
  /// Returns the points in descending order of their scores.
  std::vector<SpacePoint> sorted() const;

 private:
  std::size_t most_;
  std::set<std::pair<float, SpacePoint>> points_;
};

/// Returns points that may be fast, the most promising ones first. They may be invalid or already
/// measured.
using Propose = std::function<std::vector<SpacePoint>(RandomSearch& search, const SpeedModel& model,
                                                      const std::vector<Individual>& measured)>;

/// The model is fitted again after this many measurements.
constexpr std::size_t kBatch = 64;
/// Searches propose at most this many points. Many turn out to be invalid, which is noticed only
/// when a point is about to be measured.
constexpr std::size_t kProposed = 16 * kBatch;

/// Measures a batch of random points. Then fits the model and measures the first valid new points
/// that `propose` returns, and repeats this until the session ends or no new point is found. At
/// least the last 3 of the 64 points of each batch are random.
void learned_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed,
                    const Propose& propose);

}  // namespace tileplan
