// SPDX-License-Identifier: Apache-2.0
// This file declares the simple searches with which papers compare their own.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Measures all valid points once in mixed-radix order, in which the first coordinate changes
/// fastest.
void grid_search(const StrategySpace& space, SearchSession& session);

/// Measures random points, each valid point with the same probability.
void uniform_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Draws parents with probabilities proportional to speed and crosses them over at one parameter.
void genetic_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Redraws one random parameter and accepts the new point with probability min(1, exp(-ln(t_new /
/// t_cur) / T)). The temperature T falls linearly to 0 over the budget.
void annealing_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Runs greedy best-first search, which expands the fastest point that was not expanded yet.
/// Coordinates outside divisor chains keep the values of `origin`. Requires that `origin` is valid.
void gbfs_search(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                 std::uint64_t seed);

}  // namespace tileplan
