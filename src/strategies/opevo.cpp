// SPDX-License-Identifier: Apache-2.0
// A child inherits each parameter from some parent, and each parameter mutates by a q-random walk.
#include "opevo.h"

#include <numeric>

#include "population.h"

namespace tileplan {

namespace {

/// The OpEvo paper calls these numbers lambda and rho.
constexpr int kParents = 8, kChildren = 8;
/// The OpEvo paper calls this probability q. Values near 1 make long walks.
constexpr double kContinuation = 0.5;

/// Takes each parameter from a parent that is drawn by speed. The child may be invalid.
SpacePoint inherit(RandomSearch& search, const std::vector<Individual>& parents) {
  SpacePoint child = parents.front().point;
  for (const Parameter& parameter : search.all) {
    const SpacePoint& parent = search.draw_by_speed(parents).point;
    for (const int coordinate : parameter.coordinates) child[coordinate] = parent[coordinate];
  }
  return child;
}

/// Mutates the factors of a chain. If the inherited sizes do not divide the total of the child's
/// microkernel, the chain stays unchanged and the child is invalid.
void walk_chain(const Chain& chain, SpacePoint& child, std::mt19937_64& random) {
  const Factors factors = factors_of(chain, child);
  const std::int64_t product =
      std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
  if (product != chain.total(child)) return;
  set_factors(chain, q_random_walk(factors, factor_moves, kContinuation, random), child);
}

void mutate(RandomSearch& search, SpacePoint& child) {
  for (const Parameter& parameter : search.all) {
    if (parameter.chain != nullptr) {
      walk_chain(*parameter.chain, child, search.random);
      continue;
    }
    const int place = parameter.coordinates.front();
    const Coordinate& one = search.space.coordinates[place];
    const auto moves = [&](int at) { return places_beside(at, one.values, one.topology); };
    child[place] = q_random_walk(child[place], moves, kContinuation, search.random);
  }
}

}  // namespace

std::vector<int> places_beside(int place, int count, Topology topology) {
  std::vector<int> beside;
  for (int other = 0; other < count; ++other) {
    const bool is_next = other == place - 1 || other == place + 1;
    if (topology == Topology::categorical ? other != place : is_next) beside.push_back(other);
  }
  return beside;
}

void opevo_search(const StrategySpace& space, SearchSession& session, std::uint64_t seed) {
  RandomSearch search{space, session, std::mt19937_64(seed)};
  std::vector<Individual> everything, parents;
  const auto draw = [&] {
    SpacePoint child = inherit(search, parents);
    mutate(search, child);
    return child;
  };
  search.grow(everything, kParents);
  if (everything.empty()) return;
  do {
    sort_by_speed(everything);
    parents = first_of(everything, kParents);
  } while (search.grow(everything, everything.size() + kChildren, draw));
}

}  // namespace tileplan
