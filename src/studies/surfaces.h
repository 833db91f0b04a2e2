// SPDX-License-Identifier: Apache-2.0
// The study `surfaces`: costs over two tile sizes, and whether stepwise descent finds their
// minimum.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heat_map.h"
#include "search_space.h"
#include "study.h"

namespace tileplan {

struct Surface {
  std::string name;
  std::function<double(double height, double width)> cost;
  std::vector<std::int64_t> heights = {}, widths = {};  ///< sizes, ascending
  std::string unit = {};                                ///< of the cost; empty: none
};

/// Returns the Droplet paper's list: C = L = 32, n = 100, sizes 1, 6, ..., 96.
std::vector<Surface> cost_surfaces();

/// Returns that paper's counter-example, 1 + (1 where a tile of `width` leaves a remainder of 63) +
/// height / 64, with all sizes and with divisors alone.
std::vector<Surface> remainder_surfaces();

/// Returns the bytes that our movement model (models/README.md eq. (X)) counts into one cache of 64
/// KiB, and with one of 256 KiB, for a 10000^3 product in tiles of i and j.
std::vector<Surface> movement_surfaces();

/// The minima of one surface and how to get there. Points are places: height, width.
struct SurfaceShape {
  SpacePoint minimum;    ///< of the smallest value, the first one
  double value = 0;      ///< there
  int local_minima = 0;  ///< points below all of their neighbours
  /// Steepest descent from the first point, both ends included.
  std::vector<SpacePoint> descent;
  int evaluations = 0;  ///< different points that the descent looked at
  /// A shortest falling chain from the first point to the smallest value; empty without one.
  std::vector<SpacePoint> chain;
  int starts = 0;  ///< points from which steepest descent ends at the smallest value
};

SurfaceShape shape_of(const Surface& surface);

/// Returns the surface with the descent and the minimum marked, in logarithmic shades above 0.
HeatMap heat_map_of(const Surface& surface, const SurfaceShape& shape);

/// Returns one line: minimum, local minima, where descent ends.
std::string surface_text(const Surface& surface, const SurfaceShape& shape);

}  // namespace tileplan
