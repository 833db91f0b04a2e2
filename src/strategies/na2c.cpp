// SPDX-License-Identifier: Apache-2.0
// An action moves one prime factor from one loop over a dimension to another loop over this
// dimension.
#include "na2c.h"

#include <algorithm>
#include <map>
#include <set>

#include "actor_critic.h"
#include "integers.h"
#include "population.h"

namespace tileplan {
namespace {

constexpr int kWalkSteps = 3;
constexpr std::size_t kPointsPerRound = 6;
/// With this probability, an action is drawn uniformly instead of from the policy.
constexpr double kUniformChance = 0.1;

struct FactorMove {
  const Chain* chain = nullptr;
  std::size_t from = 0, to = 0;
  std::int64_t prime = 1;
};

std::vector<FactorMove> all_moves(const StrategySpace& space, const SpacePoint& origin) {
  std::vector<FactorMove> moves;
  for (const Chain& chain : space.chains) {
    const std::vector<std::int64_t> primes = prime_factors(chain.total(origin));
    const std::size_t loops = chain.coordinates.size() + 1;
    for (const std::int64_t prime : std::set<std::int64_t>(primes.begin(), primes.end()))
      for (std::size_t pair = 0; pair < loops * loops; ++pair)
        if (pair / loops != pair % loops)
          moves.push_back({&chain, pair / loops, pair % loops, prime});
  }
  return moves;
}

/// Returns the input of the network: the trip counts of all chains as shares of their totals, minus
/// one half.
Eigen::VectorXd state_of(const StrategySpace& space, const SpacePoint& point) {
  std::vector<double> shares;
  for (const Chain& chain : space.chains) {
    const auto total = static_cast<double>(chain.total(point));
    for (const std::int64_t factor : factors_of(chain, point))
      shares.push_back(static_cast<double>(factor) / total - 0.5);
  }
  return Eigen::Map<Eigen::VectorXd>(shares.data(), static_cast<Eigen::Index>(shares.size()));
}

class ActorCriticSearch {
 public:
  ActorCriticSearch(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                    std::uint64_t seed)
      : search_{space, session, std::mt19937_64(seed)},
        moves_(all_moves(space, origin)),
        network_(state_of(space, origin).size(), static_cast<Eigen::Index>(moves_.size()),
                 search_.random) {}

  void run(const SpacePoint& origin) {
    const auto first = search_.measure(origin);
    if (!first || moves_.empty()) return;
    seen_.insert(origin);
    best_ = *first;
    const double unit = first->measured->speed() > 0 ? first->measured->speed() : 1;
    for (std::map<SpacePoint, Experience> found = walk(); !found.empty(); found = walk()) {
      std::vector<Experience> experiences;
      experiences.reserve(found.size());
      for (auto& [point, experience] : found) {
        const auto individual = search_.measure(point);
        if (!individual) return;
        experience.reward = individual->measured->speed() / unit;
        experiences.push_back(experience);
        if (individual->measured->speed() > best_.measured->speed()) best_ = *individual;
      }
      network_.learn(experiences);
    }
  }

 private:
  /// Returns new points and the actions that led to them, or nothing when walks find no new point.
  /// Walks start from the best point, and from any measured point once the best point leads to
  /// nothing new.
  std::map<SpacePoint, Experience> walk() {
    std::map<SpacePoint, Experience> found;
    for (int tries = 0; tries < kMostTries && found.size() < kPointsPerRound; ++tries)
      add_walk(best_.point, found);
    for (int tries = 0; tries < kMostTries && found.empty(); ++tries)
      add_walk(*std::next(seen_.begin(), random_offset()), found);
    return found;
  }

  std::ptrdiff_t random_offset() {
    return static_cast<std::ptrdiff_t>(random_place(seen_.size(), search_.random));
  }

  void add_walk(SpacePoint point, std::map<SpacePoint, Experience>& found) {
    for (int step = 0; step < kWalkSteps; ++step) {
      const Eigen::VectorXd state = state_of(search_.space, point);
      const std::size_t action = draw_action(state);
      point = moved(point, moves_[action]);
      if (seen_.insert(point).second)
        found[point] = {.state = state, .action = static_cast<Eigen::Index>(action)};
    }
  }

  std::size_t draw_action(const Eigen::VectorXd& state) {
    if (std::bernoulli_distribution(kUniformChance)(search_.random))
      return random_place(moves_.size(), search_.random);
    const Eigen::VectorXd policy = network_.policy(state);
    std::discrete_distribution<std::size_t> draw(policy.data(), policy.data() + policy.size());
    return draw(search_.random);
  }

  /// Returns `point` after `move`, or `point` itself if the move is impossible or leads to no valid
  /// point.
  SpacePoint moved(const SpacePoint& point, const FactorMove& move) const {
    Factors factors = factors_of(*move.chain, point);
    if (factors[move.from] % move.prime != 0) return point;
    factors[move.from] /= move.prime;
    factors[move.to] *= move.prime;
    SpacePoint next = point;
    set_factors(*move.chain, factors, next);
    return is_valid(search_.space, next) ? next : point;
  }

  RandomSearch search_;
  std::vector<FactorMove> moves_;
  ActorCritic network_;
  std::set<SpacePoint> seen_;
  Individual best_;
};

}  // namespace

void na2c_search(const StrategySpace& space, SearchSession& session, const SpacePoint& origin,
                 std::uint64_t seed) {
  ActorCriticSearch(space, session, origin, seed).run(origin);
}

}  // namespace tileplan
