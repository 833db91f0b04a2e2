// SPDX-License-Identifier: Apache-2.0
// The study `surfaces` asks whether stepwise descent over two tile sizes ends at the least cost.
#pragma once

#include "heat_map.h"
#include "search_space.h"
#include "study.h"

namespace tileplan {

struct Surface {
  std::string name;
  std::function<double(double height, double width)> cost;
  std::vector<std::int64_t> heights = {}, widths = {};  ///< The sizes are ascending.
  std::string unit = {};                                ///< The cost has it; empty means none.
};

/// Returns `count` sizes from `first` on that are `step` apart.
std::vector<std::int64_t> spaced_sizes(std::int64_t first, std::int64_t step, int count);

/// Returns the Droplet paper's list: C = L = 32, n = 100, sizes 1, 6, ..., 96.
std::vector<Surface> cost_surfaces();

/// Returns that paper's counter-example, 1 + (1 where a tile of `width` leaves a remainder of 63) +
/// height / 64, with all sizes and with divisors alone.
std::vector<Surface> remainder_surfaces();

/// Returns the bytes that our movement model (models/README.md eq. (X)) counts into one cache of 64
/// KiB, and with one of 256 KiB, for a 10000^3 product in tiles of i and j.
std::vector<Surface> movement_surfaces();

/// A point is the index of its height and the index of its width.
struct SurfaceShape {
  SpacePoint minimum;               ///< It is the first one of the smallest value.
  double value = 0;                 ///< The minimum has it.
  int local_minima = 0;             ///< So many points lie below all of their neighbours.
  std::vector<SpacePoint> descent;  ///< It is the steepest from the first point, with both ends.
  int evaluations = 0;              ///< The descent looked at so many different points.
  /// No falling chain from the first point to the smallest value is shorter; empty without one.
  std::vector<SpacePoint> chain;
  int starts = 0;  ///< Steepest descent ends at the smallest value from so many points.
};

SurfaceShape shape_of(const Surface& surface);

/// Returns the surface with the descent and the minimum marked, in logarithmic shades above 0.
HeatMap heat_map_of(const Surface& surface, const SurfaceShape& shape);

/// Returns one line about the minimum, the local minima, and the end of the descent.
std::string surface_text(const Surface& surface, const SurfaceShape& shape);

}  // namespace tileplan
