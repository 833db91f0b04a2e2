// SPDX-License-Identifier: Apache-2.0
// These functions check points, and change them along one coordinate, by one prime factor, or at
// random.
#include "search_space.h"

#include <algorithm>
#include <string>

#include "check.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

std::int64_t value(const Chain& chain, std::size_t level, const SpacePoint& point) {
  return chain.sizes[static_cast<std::size_t>(point[chain.coordinates[level]])];
}

bool holds(const Chain& chain, const SpacePoint& point) {
  std::int64_t inner = 1;
  for (std::size_t level = 0; level < chain.coordinates.size(); ++level) {
    const std::int64_t outer = value(chain, level, point);
    if (outer % inner != 0) return false;
    inner = outer;
  }
  return chain.total(point) % inner == 0;
}

/// A space in which so many draws find no valid point is taken for empty, so that searches end.
constexpr int kMostDraws = 100'000;

}  // namespace

bool chains_hold(const StrategySpace& space, const SpacePoint& point) {
  return std::ranges::all_of(space.chains, [&](const Chain& chain) { return holds(chain, point); });
}

bool is_valid(const StrategySpace& space, const SpacePoint& point) {
  return chains_hold(space, point) && space.accepts(point);
}

std::optional<std::size_t> last_broken(const StrategySpace& space, const SpacePoint& point) {
  std::optional<std::size_t> last;
  for (const Chain& chain : space.chains)
    for (std::size_t level = 0; level + 1 < chain.coordinates.size(); ++level)
      if (value(chain, level + 1, point) % value(chain, level, point) != 0)
        last = std::max(last, std::optional(static_cast<std::size_t>(std::min(
                                  chain.coordinates[level], chain.coordinates[level + 1]))));
  return last;
}

Factors factors_of(const Chain& chain, const SpacePoint& point) {
  Factors factors;
  std::int64_t inner = 1;
  for (std::size_t level = 0; level < chain.coordinates.size(); ++level) {
    factors.push_back(value(chain, level, point) / inner);
    inner = value(chain, level, point);
  }
  factors.push_back(chain.total(point) / inner);
  return factors;
}

void set_factors(const Chain& chain, const Factors& factors, SpacePoint& point) {
  std::int64_t product = 1;
  for (std::size_t level = 0; level < chain.coordinates.size(); ++level) {
    product *= factors[level];
    const auto found = std::ranges::find(chain.sizes, product);
    TILEPLAN_CHECK(found != chain.sizes.end(), "not a size of the chain");
    point[chain.coordinates[level]] = static_cast<int>(found - chain.sizes.begin());
  }
}

std::vector<Factors> ordered_factorisations(std::int64_t total, std::size_t count) {
  if (count == 1) return {Factors{total}};
  std::vector<Factors> all;
  for (const std::int64_t factor : divisors(total))
    for (Factors& rest : ordered_factorisations(total / factor, count - 1)) {
      rest.insert(rest.begin(), factor);
      all.push_back(std::move(rest));
    }
  return all;
}

std::vector<Factors> factor_moves(const Factors& factors) {
  std::vector<Factors> moves;
  for (std::size_t from = 0; from < factors.size(); ++from)
    for (const std::int64_t prime : prime_factors(factors[from]))
      for (std::size_t to = 0; to < factors.size(); ++to) {
        if (to == from) continue;
        moves.push_back(factors);
        moves.back()[from] /= prime;
        moves.back()[to] *= prime;
      }
  return moves;
}

std::optional<SpacePoint> next_valid(const StrategySpace& space, const SpacePoint& point,
                                     std::size_t moved, int direction) {
  SpacePoint other = point;
  for (;;) {
    other[moved] += direction;
    if (other[moved] < 0 || other[moved] >= space.coordinates[moved].values) return std::nullopt;
    if (is_valid(space, other)) return other;
  }
}

std::vector<SpacePoint> neighbours(const StrategySpace& space, const SpacePoint& point) {
  std::vector<SpacePoint> all;
  for (std::size_t i = 0; i < space.coordinates.size(); ++i)
    for (const int direction : {1, -1})
      if (auto other = next_valid(space, point, i, direction)) all.push_back(std::move(*other));
  return all;
}

std::vector<Parameter> parameters(const StrategySpace& space) {
  std::vector<Parameter> all;
  std::vector<bool> chained(space.coordinates.size(), false);
  for (const Chain& chain : space.chains)
    for (const int coordinate : chain.coordinates) chained[coordinate] = true;
  for (std::size_t i = 0; i < chained.size(); ++i)
    if (!chained[i]) all.push_back({.coordinates = {static_cast<int>(i)}, .chain = nullptr});
  for (const Chain& chain : space.chains)
    all.push_back({.coordinates = chain.coordinates, .chain = &chain});
  return all;
}

void redraw(const StrategySpace& space, const Parameter& parameter, SpacePoint& point,
            std::mt19937_64& random) {
  if (parameter.chain == nullptr) {
    const int coordinate = parameter.coordinates.front();
    const auto count = static_cast<std::size_t>(space.coordinates[coordinate].values);
    point[coordinate] = static_cast<int>(random_place(count, random));
    return;
  }
  const std::vector<Factors> all =
      ordered_factorisations(parameter.chain->total(point), parameter.coordinates.size() + 1);
  set_factors(*parameter.chain, all[random_place(all.size(), random)], point);
}

SpacePoint random_point(const StrategySpace& space, std::mt19937_64& random) {
  const std::vector<Parameter> all = parameters(space);
  SpacePoint point(space.coordinates.size(), 0);
  for (int draw = 0; draw < kMostDraws; ++draw) {
    for (const Parameter& parameter : all) redraw(space, parameter, point, random);
    if (is_valid(space, point)) return point;
  }
  throw Error("search space: none of " + std::to_string(kMostDraws) +
              " random points is valid; must have valid points");
}

}  // namespace tileplan
