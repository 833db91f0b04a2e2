// SPDX-License-Identifier: Apache-2.0
// This file searches as AutoTVM's tuner with gradient-boosted trees does.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Fits a model that orders points by their speed to all measurements. Measures the points with the
/// highest scores of this model among those that simulated annealing visits, and some random
/// points. Throws Error when there are no boosted trees (boosted_trees.h), and as random_point()
/// does.
void gbt_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

}  // namespace tileplan
