// SPDX-License-Identifier: Apache-2.0
// The study `surfaces` tests whether descent over two tile sizes ends at the lowest cost.
#pragma once

#include "heat_map.h"
#include "search_space.h"
#include "study.h"

namespace tileplan {

struct Surface {
  std::string name;
  std::function<double(double height, double width)> cost;
  std::vector<std::int64_t> heights = {}, widths = {};  ///< The sizes are in ascending order.
  std::string unit = {};  ///< The cost has this unit, which may be empty.
};

/// Returns `count` sizes, `step` apart, of which the first is `first`.
std::vector<std::int64_t> spaced_sizes(std::int64_t first, std::int64_t step, int count);

/// Returns the surfaces of the cost formulas that the Droplet paper lists, with its parameters C =
/// L = 32 and n = 100, for the sizes 1, 6, ..., 96.
std::vector<Surface> cost_surfaces();

/// Returns the counter-example of the Droplet paper: the cost is 1 + height / 64, plus 1 if `width`
/// does not divide 63. One surface has all sizes and one has only divisors.
std::vector<Surface> remainder_surfaces();

/// Returns surfaces of the bytes that eq. (X) of models/README.md predicts for a 10000^3 product
/// with tiles of i and j: one with a cache of 64 KiB, and one with a second cache of 256 KiB.
std::vector<Surface> movement_surfaces();

/// Describes the minima of a surface. A point consists of the indices of its height and its width.
struct SurfaceShape {
  SpacePoint minimum;               ///< This is the first point with the smallest value.
  double value = 0;                 ///< The minimum has this value.
  int local_minima = 0;             ///< This many points have a lower value than all neighbours.
  std::vector<SpacePoint> descent;  ///< Steepest descent from the first point visits these points.
  int evaluations = 0;              ///< The descent evaluated this many different points.
  /// This is the shortest chain of falling values from the first point to a point with the smallest
  /// value, or empty if there is no such chain.
  std::vector<SpacePoint> chain;
  int starts = 0;  ///< Counts the points from which steepest descent ends at the smallest value.
};

SurfaceShape shape_of(const Surface& surface);

/// Returns a heat map with the descent and the minimum. Colours are logarithmic for positive costs.
HeatMap heat_map_of(const Surface& surface, const SurfaceShape& shape);

/// Returns one line about the minimum, the local minima, the end of the descent, and the falling
/// chain.
std::string surface_text(const Surface& surface, const SurfaceShape& shape);

}  // namespace tileplan
