// SPDX-License-Identifier: Apache-2.0
// Every strategy searches coordinates with lists of values, some of which form divisor chains.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tileplan {

/// A random walk moves to the next value of a discrete list, and to any other of a categorical one.
enum class Topology { discrete, categorical };

/// Each coordinate has the index of its value in the coordinate's list.
using SpacePoint = std::vector<int>;

/// The loops of one dim have these trips, innermost first; their product is fixed.
using Factors = std::vector<std::int64_t>;

struct Coordinate {
  std::string name;
  Topology topology = Topology::discrete;
  int values = 1;  ///< Its list has this length.
};

/// The coordinates' values are products of trips, which divide the next ones and the total.
struct Chain {
  std::vector<int> coordinates;                          ///< The innermost comes first.
  std::vector<std::int64_t> sizes;                       ///< All have these values, ascending.
  std::function<std::int64_t(const SpacePoint&)> total;  ///< It may read other coordinates.
};

/// Holds the encoding that all strategies share; invalid points are never neighbours nor counted.
struct StrategySpace {
  std::vector<Coordinate> coordinates;
  std::vector<Chain> chains;
  std::function<bool(const SpacePoint&)> accepts;      ///< Requires: all chains hold.
  std::function<std::string(const SpacePoint&)> text;  ///< The evaluator is given it.
  /// True only when a point earlier in mixed radix has the same text. Requires: all chains hold.
  std::function<bool(const SpacePoint&)> repeats = [](const SpacePoint&) { return false; };
};

bool is_valid(const StrategySpace& space, const SpacePoint& point);

/// Returns whether all chains hold; `accepts` is not asked.
bool chains_hold(const StrategySpace& space, const SpacePoint& point);

/// Returns the last coordinate whose value does not divide the next one of its chain.
std::optional<std::size_t> last_broken(const StrategySpace& space, const SpacePoint& point);

/// Returns the trips of one chain: values 2, 4 of a total of 12 are the factors 2, 2, 3.
Factors factors_of(const Chain& chain, const SpacePoint& point);

/// Sets the chain's coordinates to `factors`. Requires: their product is the chain's total.
void set_factors(const Chain& chain, const Factors& factors, SpacePoint& point);

/// Returns all ordered products of `count` factors, sorted. Example: 34 has four of two.
std::vector<Factors> ordered_factorisations(std::int64_t total, std::size_t count);

/// Moves each prime to each other entry, as OpEvo does: (12, 1) gives (6, 2) and (4, 3).
std::vector<Factors> factor_moves(const Factors& factors);

/// Returns the nearest valid points on either side of `point` along each coordinate.
std::vector<SpacePoint> neighbours(const StrategySpace& space, const SpacePoint& point);

/// Returns `point` with coordinate `moved` at the next valid place in `direction` (1 or -1).
std::optional<SpacePoint> next_valid(const StrategySpace& space, const SpacePoint& point,
                                     std::size_t moved, int direction);

/// Evolutionary strategies change one coordinate outside all chains, or one chain, at a time.
struct Parameter {
  std::vector<int> coordinates;
  const Chain* chain = nullptr;  ///< It is null for a single coordinate.
};
/// Returns coordinates first and chains last, because totals may depend on the coordinates.
std::vector<Parameter> parameters(const StrategySpace& space);

/// Draws a new value of `parameter` uniformly. The point may then be invalid.
void redraw(const StrategySpace& space, const Parameter& parameter, SpacePoint& point,
            std::mt19937_64& random);

/// Draws coordinates and factorisations until the point is valid. Requires: there is a valid point.
SpacePoint random_point(const StrategySpace& space, std::mt19937_64& random);

/// Draws an index below `count` uniformly. Requires count >= 1.
template <class Random>
std::size_t random_place(std::size_t count, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

}  // namespace tileplan
