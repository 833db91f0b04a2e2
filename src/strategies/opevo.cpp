// SPDX-License-Identifier: Apache-2.0
// Inheritance by parameter, mutation by q-random walk.
#include "opevo.h"

#include <algorithm>
#include <numeric>

#include "population.h"

namespace tileplan {

namespace {

class Evolution {
 public:
  Evolution(const Space& space, const OpevoOptions& options)
      : space_(space), options_(options), parameters_(parameters(space)), random_(options.seed) {}

  void run(Session& session) {
    everything_ =
        random_population(space_, session, static_cast<std::size_t>(options_.parents), random_);
    while (!everything_.empty() && generation(session)) {
    }
  }

 private:
  /// False when the session is over or the space exhausted.
  bool generation(Session& session) {
    sort_by_speed(everything_);
    std::vector<Individual> parents = everything_;
    parents.resize(std::min(parents.size(), static_cast<std::size_t>(options_.parents)));
    for (int i = 0; i < options_.children; ++i) {
      const std::optional<SpacePoint> child = unseen_point(
          space_, session, [&] { return mutated(inherited(parents)); }, random_);
      const auto individual = child ? measure_point(space_, session, *child) : std::nullopt;
      if (!individual) return false;
      everything_.push_back(*individual);
    }
    return true;
  }

  /// Each parameter of some parent, the fit ones likelier. May be invalid.
  SpacePoint inherited(const std::vector<Individual>& parents) {
    SpacePoint child = parents.front().point;
    for (const Parameter& parameter : parameters_) {
      const SpacePoint& parent = by_speed(parents, random_).point;
      for (const int coordinate : parameter.coordinates) child[coordinate] = parent[coordinate];
    }
    return child;
  }

  SpacePoint mutated(SpacePoint child) {
    for (const Parameter& parameter : parameters_) {
      if (parameter.chain != nullptr)
        walk_chain(*parameter.chain, child);
      else
        walk_coordinate(parameter.coordinates.front(), child);
    }
    return child;
  }

  /// Of a chain that another kernel's total breaks there are no factors; the child is invalid.
  void walk_chain(const Chain& chain, SpacePoint& child) {
    const std::int64_t total = chain.total(child);
    const Factors factors = factors_of(chain, child);
    const std::int64_t product =
        std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
    if (product != total) return;
    set_factors(chain, q_random_walk(factors, factor_moves, options_.continuation, random_), child);
  }

  void walk_coordinate(int coordinate, SpacePoint& child) {
    const Coordinate& one = space_.coordinates[coordinate];
    const auto moves = [&](int place) { return places_beside(place, one.values, one.topology); };
    child[coordinate] = q_random_walk(child[coordinate], moves, options_.continuation, random_);
  }

  const Space& space_;
  const OpevoOptions& options_;
  const std::vector<Parameter> parameters_;
  std::mt19937_64 random_;
  std::vector<Individual> everything_;
};

}  // namespace

std::vector<int> places_beside(int place, int count, Topology topology) {
  std::vector<int> beside;
  for (int other = 0; other < count; ++other) {
    const bool is_next = other == place - 1 || other == place + 1;
    if (topology == Topology::categorical ? other != place : is_next) beside.push_back(other);
  }
  return beside;
}

void opevo_search(const Space& space, Session& session, const OpevoOptions& options) {
  Evolution(space, options).run(session);
}

}  // namespace tileplan
