// SPDX-License-Identifier: Apache-2.0
// This file declares the spaces that strategies search. A point selects one value per coordinate,
// and some coordinates form divisor chains.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace tileplan {

/// Tells how a random walk steps in a list of values: to a neighbour (discrete), or to any
/// other value (categorical).
enum class Topology { discrete, categorical };

/// Encodes a candidate: for each coordinate, holds the index of a value in the coordinate's list.
using SpacePoint = std::vector<int>;

/// Holds the trip counts of the loops over one dimension, innermost first. Their product is fixed.
using Factors = std::vector<std::int64_t>;

struct Coordinate {
  std::string name;
  Topology topology = Topology::discrete;
  int values = 1;  ///< The list of values has this length.
};

/// Describes coordinates whose values are products of trip counts. Each value divides the next one,
/// and the last value divides the total.
struct Chain {
  std::vector<int> coordinates;  ///< The innermost coordinate is first.
  /// Lists the possible values of every coordinate of the chain in ascending order.
  std::vector<std::int64_t> sizes;
  /// Returns the total that the values divide. It may depend on other coordinates.
  std::function<std::int64_t(const SpacePoint&)> total;
};

/// Describes an encoding that strategies search. Invalid points are never measured.
struct StrategySpace {
  std::vector<Coordinate> coordinates;
  std::vector<Chain> chains;
  /// Returns true for valid points. Requires chains_hold().
  std::function<bool(const SpacePoint&)> accepts;
  /// Returns the text of a point that the evaluator receives.
  std::function<std::string(const SpacePoint&)> text;
  /// If this returns true, a point earlier in mixed-radix order has the same text, so that the
  /// given point need not be measured. Returns false by default. Requires chains_hold().
  std::function<bool(const SpacePoint&)> repeats = [](const SpacePoint&) { return false; };
  /// Returns the numbers that describe a point to a learned model. By default, these are the
  /// coordinates of the point, which AutoTVM calls knob features. Requires chains_hold().
  std::function<std::vector<float>(const SpacePoint&)> features = [](const SpacePoint& point) {
    return std::vector<float>(point.begin(), point.end());
  };
};

/// Returns true when both chains_hold() and StrategySpace::accepts return true.
bool is_valid(const StrategySpace& space, const SpacePoint& point);

/// Returns true when in every chain each value divides the next value and the last value divides
/// the total.
bool chains_hold(const StrategySpace& space, const SpacePoint& point);

/// Looks at pairs of successive values of a chain whose first value does not divide the second one.
/// Takes the lower coordinate of each pair, and returns the highest of these coordinates, or
/// nothing if there is no such pair. Ignores the totals of chains.
std::optional<std::size_t> last_broken(const StrategySpace& space, const SpacePoint& point);

/// Returns the trip counts of one chain. Example: values 2 and 4 of a total of 12 give 2, 2, 3.
Factors factors_of(const Chain& chain, const SpacePoint& point);

/// Sets the chain's coordinates from `factors`. Requires that their product is the chain's total.
void set_factors(const Chain& chain, const Factors& factors, SpacePoint& point);

/// Returns all lists of `count` factors with the product `total`, sorted. Example: 34 has the four
/// lists (1, 34), (2, 17), (17, 2) and (34, 1) of two factors.
std::vector<Factors> ordered_factorisations(std::int64_t total, std::size_t count);

/// Returns the lists in which one prime factor has moved to another entry, which are the moves of
/// OpEvo. Example: (12, 1) gives (6, 2) and (4, 3).
std::vector<Factors> factor_moves(const Factors& factors);

/// Returns the nearest valid points in both directions from `point` along each coordinate.
std::vector<SpacePoint> neighbours(const StrategySpace& space, const SpacePoint& point);

/// Returns the next valid point along coordinate `moved` in `direction` (1 or -1), or nothing.
std::optional<SpacePoint> next_valid(const StrategySpace& space, const SpacePoint& point,
                                     std::size_t moved, int direction);

/// Describes coordinates that strategies change together: one chain, or one coordinate outside all
/// chains.
struct Parameter {
  std::vector<int> coordinates;
  const Chain* chain = nullptr;  ///< This is null for a single coordinate.
};
/// Returns all parameters, which refer to the chains of `space`. Single coordinates come first,
/// because the totals of chains may depend on them.
std::vector<Parameter> parameters(const StrategySpace& space);

/// Draws a new value of `parameter` uniformly. The new point may be invalid.
void redraw(const StrategySpace& space, const Parameter& parameter, SpacePoint& point,
            std::mt19937_64& random);

/// Draws points until a point is valid, and returns it. Throws Error when 100,000 points are
/// invalid.
SpacePoint random_point(const StrategySpace& space, std::mt19937_64& random);

/// Returns a random index below `count`. Requires count >= 1.
template <class Random>
std::size_t random_place(std::size_t count, Random& random) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

}  // namespace tileplan
