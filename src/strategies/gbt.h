// SPDX-License-Identifier: Apache-2.0
// This file searches as AutoTVM's tuner with gradient-boosted trees does.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Learns the speed of points from all measurements. Measures the points to which simulated
/// annealing leads on the scores of this model. Throws Error when there are no boosted trees
/// (boosted_trees.h).
void gbt_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

}  // namespace tileplan
