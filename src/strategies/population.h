// SPDX-License-Identifier: Apache-2.0
// Random strategies share these functions, which draw points and measure each at most once.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// A strategy gives up after this many draws in a row were measured before or invalid.
constexpr int kMostTries = 1000;

struct Individual {
  SpacePoint point;
  const Measured* measured = nullptr;
};

using DrawPoint = std::function<SpacePoint()>;

/// Draws points of `space` and measures them in `session`.
struct RandomSearch {
  const StrategySpace& space;
  SearchSession& session;
  std::mt19937_64 random;
  const std::vector<Parameter> all = parameters(space);

  /// Measures `point`. Returns nothing when the session is over.
  std::optional<Individual> measure(const SpacePoint& point);

  /// Measures a valid new point from `draw`, or from random_point after kMostTries attempts.
  /// Returns nothing when there is none or the session is over.
  std::optional<Individual> measure_unseen(const DrawPoint& draw);

  /// Measures new points until there are `size`. Returns false when this is impossible.
  bool grow(std::vector<Individual>& individuals, std::size_t size, const DrawPoint& draw = {});

  /// Draws proportionally to speed, or uniformly if all failed. Requires at least one.
  const Individual& draw_by_speed(const std::vector<Individual>& individuals);
};

/// Sorts the fastest first. The sort is stable.
void sort_by_speed(std::vector<Individual>& individuals);

/// Returns the first `count` individuals, or all if there are fewer.
std::vector<Individual> first_of(const std::vector<Individual>& individuals, int count);

}  // namespace tileplan
