// SPDX-License-Identifier: Apache-2.0
// This file declares the simple searches with which papers compare their own. Searches that draw
// random points throw Error as random_point() does.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Measures all valid points once, or until the session ends, in mixed-radix order, in which the
/// first coordinate changes fastest. Points that repeat the schedule of an earlier point are left
/// out.
void grid_search(const StrategySpace& space, SearchSession& session);

/// Measures random valid points, each once, until 2 * kMostTries (population.h) draws in a row give
/// no new point or the session ends. All points have the same probability if no chain has a total
/// that depends on other coordinates.
void uniform_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Keeps the three fastest of each generation of 100 points. The other points of the next
/// generation are children. Two parents of each child are drawn with probabilities proportional to
/// speed and crossed over at one parameter. Then each parameter is redrawn with probability 0.1. A
/// random point takes the place of kMostTries children in a row that are invalid or not new.
void genetic_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Redraws one random parameter and accepts the new point, whose time is t_new, in place of the
/// current one, whose time is t_cur, with probability min(1, exp(-ln(t_new / t_cur) / T)). The
/// temperature T falls linearly from 0.5 to 0 over the budget. A current point that failed is
/// always replaced. A random point takes the place of kMostTries redrawn points in a row that are
/// invalid or not new.
void annealing_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Runs greedy best-first search, which expands the fastest point that was not expanded yet: it
/// measures up to five random points that differ from this point in the place of one prime factor.
/// Coordinates outside divisor chains keep the values of `origin`. Requires that `origin` is valid.
void gbfs_search(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                 std::uint64_t seed);

}  // namespace tileplan
