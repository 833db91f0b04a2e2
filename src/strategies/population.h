// SPDX-License-Identifier: Apache-2.0
// What the strategies with random draws share: points that were measured, and unseen new ones.
#pragma once

#include <functional>
#include <optional>
#include <random>
#include <vector>

#include "session.h"
#include "space.h"

namespace tileplan {

/// Draws before a strategy gives up on its own kind of point.
constexpr int kMostTries = 1000;

/// A measured point.
struct Individual {
  SpacePoint point;
  const Measured* measured = nullptr;
};

/// A valid point that the session has not measured, from `draw`; after kMostTries from
/// random_point; nothing when those are all known as well: the space is all but exhausted.
std::optional<SpacePoint> unseen_point(const Space& space, const Session& session,
                                       const std::function<SpacePoint()>& draw,
                                       std::mt19937_64& random);

/// Measures `point`; nothing when the session is over.
std::optional<Individual> measure_point(const Space& space, Session& session,
                                        const SpacePoint& point);

/// Measures unseen random points until there are `count` or the session is over.
std::vector<Individual> random_population(const Space& space, Session& session, std::size_t count,
                                          std::mt19937_64& random);

/// One of `individuals`, with a probability proportional to its speed; uniformly when all failed.
/// Requires: not empty.
const Individual& by_speed(const std::vector<Individual>& individuals, std::mt19937_64& random);

/// The fittest first; equal ones keep their order.
void sort_by_speed(std::vector<Individual>& individuals);

}  // namespace tileplan
