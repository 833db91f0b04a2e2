// SPDX-License-Identifier: Apache-2.0
// This file searches by an actor-critic, as the second baseline of the OpEvo paper does.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Searches by an actor-critic. An action moves one prime factor between two loops over one
/// dimension (factor_moves()). Walks of three actions start from the fastest point so far, or from
/// any measured point when the fastest one leads to no new point. The reward of a point is its
/// speed divided by the speed of `origin`, or its speed in 1/s if `origin` failed. The search ends
/// when walks find no new point or the session ends. `origin` must be valid; coordinates that no
/// chain of divisors contains (Chain) keep the values of `origin`.
void na2c_search(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                 std::uint64_t seed);

}  // namespace tileplan
