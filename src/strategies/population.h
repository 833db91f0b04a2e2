// SPDX-License-Identifier: Apache-2.0
// Strategies with random draws share points that were measured, and unseen new ones.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// A strategy stops its own draws after so many in a row that were seen or invalid.
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

  /// Measures `point`; nothing when the session is over.
  std::optional<Individual> measure(const SpacePoint& point);

  /// Measures a valid unseen point from `draw`, after kMostTries from random_point; nothing when
  /// there is none or the session is over.
  std::optional<Individual> measure_unseen(const DrawPoint& draw);

  /// Measures unseen points from `draw`, or else random ones, until there are `size`, or false.
  bool grow(std::vector<Individual>& individuals, std::size_t size, const DrawPoint& draw = {});

  /// Draws proportionally to speed, uniformly when all failed. Requires: not empty.
  const Individual& draw_by_speed(const std::vector<Individual>& individuals);
};

/// Puts the fittest first; equal ones keep their order.
void sort_by_speed(std::vector<Individual>& individuals);

/// Returns the first `count` of `individuals`, or all.
std::vector<Individual> first_of(const std::vector<Individual>& individuals, int count);

}  // namespace tileplan
