// SPDX-License-Identifier: Apache-2.0
// The papers compare their searches with these, and with learned ones (N-A2C, TVM's cost model).
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Measures all valid points in mixed radix, the first coordinate fastest, without repetitions.
void grid_search(const StrategySpace& space, SearchSession& session);

/// Chooses parents proportionally to speed and crosses them over at one parameter.
void genetic_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Redraws one random parameter, accepts with min(1, exp(-ln(t_new / t_cur) / T)). The temperature
/// T falls linearly to 0 over the budget.
void annealing_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

/// Expands the fastest point that was not expanded yet. Coordinates outside chains stay at the
/// values of `origin`. Requires: `origin` is valid.
void gbfs_search(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                 std::uint64_t seed);

}  // namespace tileplan
