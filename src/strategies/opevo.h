// SPDX-License-Identifier: Apache-2.0
// This file searches by the method of "OpEvo: An Evolutionary Method for Tensor Operator
// Optimization".
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

/// Returns the end of a random walk from `start`. Before each step, the walk goes on with
/// probability `q` < 1. `moves` returns the possible steps, of which one is drawn. If there are
/// none, the walk ends.
template <class Vertex, class Moves>
Vertex q_random_walk(Vertex start, const Moves& moves, double q, std::mt19937_64& random) {
  std::bernoulli_distribution goes_on(q);
  while (goes_on(random)) {
    const std::vector<Vertex> next = moves(start);
    if (next.empty()) break;
    start = next[random_place(next.size(), random)];
  }
  return start;
}

/// Returns the indices in a list of `count` values that one step from the index `place` can reach.
std::vector<int> places_beside(int place, int count, Topology topology);

/// Measures random points, then generations of children of fast parents, until the session ends or
/// no new point is found. Throws Error as random_point() does.
void opevo_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed);

}  // namespace tileplan
