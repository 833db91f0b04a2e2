// SPDX-License-Identifier: Apache-2.0
// Random strategies share these functions, which draw points and measure each at most once.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// A strategy stops drawing points in one way after this many draws in a row were invalid or
/// already measured.
constexpr int kMostTries = 1000;

/// Holds a point and its measurement, which belongs to the session.
struct Individual {
  SpacePoint point;
  const Measured* measured = nullptr;
};

using DrawPoint = std::function<SpacePoint()>;

struct RandomSearch {
  const StrategySpace& space;
  SearchSession& session;
  std::mt19937_64 random;
  const std::vector<Parameter> all = parameters(space);

  /// Measures `point`. Returns nothing when the point is new and the session has ended.
  std::optional<Individual> measure(const SpacePoint& point);

  /// Measures a valid new point from `draw`. If kMostTries draws find none, or `draw` is empty,
  /// tries random_point(). Returns nothing when no new point is found or the session has ended.
  /// Throws Error as random_point() does.
  std::optional<Individual> measure_unseen(const DrawPoint& draw);

  /// Measures new points until `individuals` has `size` entries. Returns false when no new point is
  /// found or the session has ended. Throws Error as measure_unseen() does.
  bool grow(std::vector<Individual>& individuals, std::size_t size, const DrawPoint& draw = {});

  /// Draws an individual with probability proportional to its speed, or uniformly if all
  /// individuals failed. Requires at least one individual.
  const Individual& draw_by_speed(const std::vector<Individual>& individuals);
};

/// Sorts the individuals, the fastest one first. Equally fast individuals keep their order.
void sort_by_speed(std::vector<Individual>& individuals);

std::vector<Individual> first_of(const std::vector<Individual>& individuals, int count);

}  // namespace tileplan
