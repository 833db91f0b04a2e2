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

/// How a random walk moves along one coordinate: to the next value of its list, or to any other.
enum class Topology { discrete, categorical };

/// For each coordinate, the place of its value in the coordinate's list.
using SpacePoint = std::vector<int>;

/// Trips of the loops of one dim, innermost first; their product is fixed.
using Factors = std::vector<std::int64_t>;

struct Coordinate {
  std::string name;
  Topology topology = Topology::discrete;
  int values = 1;  ///< length of its list
};

/// Coordinates whose values are products of trips, each dividing the next and the last the total.
struct Chain {
  std::vector<int> coordinates;                          ///< innermost first
  std::vector<std::int64_t> sizes;                       ///< values of each of them, ascending
  std::function<std::int64_t(const SpacePoint&)> total;  ///< may depend on other coordinates
};

/// Holds the encoding that all strategies share; invalid points are never neighbours nor counted.
struct StrategySpace {
  std::vector<Coordinate> coordinates;
  std::vector<Chain> chains;
  std::function<bool(const SpacePoint&)> accepts;      ///< asked only when all chains hold
  std::function<std::string(const SpacePoint&)> text;  ///< what the evaluator is given
  /// True only when a point earlier in mixed radix has the same text. Asked when all chains hold.
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

/// Returns all ordered products of `count` factors in lexicographic order. Example: 34 over two has
/// four.
std::vector<Factors> ordered_factorisations(std::int64_t total, std::size_t count);

/// Returns OpEvo's neighbours, a prime moved to another entry: of (12, 1) they are (6, 2) and (4,
/// 3).
std::vector<Factors> factor_moves(const Factors& factors);

/// Returns the nearest valid points on either side of `point` along each coordinate.
std::vector<SpacePoint> neighbours(const StrategySpace& space, const SpacePoint& point);

/// Returns `point` with coordinate `moved` at the next valid place in `direction` (1 or -1).
std::optional<SpacePoint> next_valid(const StrategySpace& space, const SpacePoint& point,
                                     std::size_t moved, int direction);

/// A parameter of the evolutionary strategies: one coordinate outside all chains, or one chain.
struct Parameter {
  std::vector<int> coordinates;
  const Chain* chain = nullptr;  ///< of `coordinates`; none: a single coordinate
};
/// Returns coordinates first and chains last, because totals may depend on the coordinates.
std::vector<Parameter> parameters(const StrategySpace& space);

/// Draws a new value of `parameter` uniformly. The point may then be invalid.
void redraw(const StrategySpace& space, const Parameter& parameter, SpacePoint& point,
            std::mt19937_64& random);

/// Draws coordinates and factorisations until the point is valid. Requires: there is a valid point.
SpacePoint random_point(const StrategySpace& space, std::mt19937_64& random);

/// Draws a place below `count` uniformly. Requires count >= 1.
template <class Random>
std::size_t random_place(std::size_t count, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

}  // namespace tileplan
