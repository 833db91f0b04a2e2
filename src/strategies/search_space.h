// SPDX-License-Identifier: Apache-2.0
// Declares the search space of all strategies: coordinates with lists of values, some in divisor
// chains.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tileplan {

/// A random walk moves to an adjacent value of a discrete list, or any value of a categorical one.
enum class Topology { discrete, categorical };

/// A point holds, for each coordinate, the index of a value in the coordinate's list.
using SpacePoint = std::vector<int>;

/// The loops of one dim have these trips, innermost first; their product is fixed.
using Factors = std::vector<std::int64_t>;

struct Coordinate {
  std::string name;
  Topology topology = Topology::discrete;
  int values = 1;  ///< The list of values has this length.
};

/// Describes coordinates whose values are products of trip counts: each value divides the next one,
/// and the last divides the total.
struct Chain {
  std::vector<int> coordinates;     ///< The innermost coordinate is first.
  std::vector<std::int64_t> sizes;  ///< Every coordinate has these values, ascending.
  /// The total may depend on other coordinates.
  std::function<std::int64_t(const SpacePoint&)> total;
};

/// Holds the encoding that all strategies share. Invalid points are never measured.
struct StrategySpace {
  std::vector<Coordinate> coordinates;
  std::vector<Chain> chains;
  std::function<bool(const SpacePoint&)> accepts;      ///< Requires chains_hold().
  std::function<std::string(const SpacePoint&)> text;  ///< The evaluator receives this text.
  /// Returns true only when a point earlier in mixed-radix order has the same text. Requires
  /// chains_hold().
  std::function<bool(const SpacePoint&)> repeats = [](const SpacePoint&) { return false; };
};

bool is_valid(const StrategySpace& space, const SpacePoint& point);

/// Returns whether the values of every chain divide each other and the total.
bool chains_hold(const StrategySpace& space, const SpacePoint& point);

/// Returns the last coordinate whose value does not divide the next one of its chain.
std::optional<std::size_t> last_broken(const StrategySpace& space, const SpacePoint& point);

/// Returns the trip counts of one chain. Example: values 2 and 4 of a total of 12 give 2, 2, 3.
Factors factors_of(const Chain& chain, const SpacePoint& point);

/// Sets the chain's coordinates from `factors`. Requires that their product is the chain's total.
void set_factors(const Chain& chain, const Factors& factors, SpacePoint& point);

/// Returns all lists of `count` factors with the product `total`, sorted. Example: 34 has four of
/// two.
std::vector<Factors> ordered_factorisations(std::int64_t total, std::size_t count);

/// Returns the lists that differ by moving one prime to another entry, as in OpEvo. Example: (12,
/// 1) gives (6, 2) and (4, 3).
std::vector<Factors> factor_moves(const Factors& factors);

/// Returns the nearest valid points on both sides of `point` along each coordinate.
std::vector<SpacePoint> neighbours(const StrategySpace& space, const SpacePoint& point);

/// Returns the next valid point along coordinate `moved` in `direction` (1 or -1), if there is one.
std::optional<SpacePoint> next_valid(const StrategySpace& space, const SpacePoint& point,
                                     std::size_t moved, int direction);

/// Describes what evolutionary strategies change at once: a chain, or a coordinate outside chains.
struct Parameter {
  std::vector<int> coordinates;
  const Chain* chain = nullptr;  ///< A single coordinate has none.
};
/// Returns coordinates first and chains last, because totals may depend on the coordinates.
std::vector<Parameter> parameters(const StrategySpace& space);

/// Draws a new value of `parameter` uniformly. The new point may be invalid.
void redraw(const StrategySpace& space, const Parameter& parameter, SpacePoint& point,
            std::mt19937_64& random);

/// Draws coordinates and factorisations until the point is valid. Requires a valid point.
SpacePoint random_point(const StrategySpace& space, std::mt19937_64& random);

/// Draws an index below `count` uniformly. Requires count >= 1.
template <class Random>
std::size_t random_place(std::size_t count, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

}  // namespace tileplan
