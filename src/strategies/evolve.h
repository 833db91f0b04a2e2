// SPDX-License-Identifier: Apache-2.0
// This file searches as Ansor does, by evolutionary search with a learned cost model.
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Evolves points by mutation and crossover, which the scores of a learned model guide, and
/// measures the points with the highest scores and some random points. The search works on `space`
/// instead of Ansor's sketches. Throws Error when there are no boosted trees (boosted_trees.h), and
/// as random_point() does.
void evolve_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

}  // namespace tileplan
