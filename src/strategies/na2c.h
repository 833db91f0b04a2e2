// SPDX-License-Identifier: Apache-2.0
// This file searches by an actor-critic, as the second baseline of the OpEvo paper.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Walks from the fastest point so far along moves of prime factors that a network proposes. Trains
/// the network with the speeds of the new points, divided by the speed of `origin`. Ends when walks
/// find no new point. Coordinates outside divisor chains keep the values of `origin`, which must be
/// valid.
void na2c_search(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                 std::uint64_t seed);

}  // namespace tileplan
