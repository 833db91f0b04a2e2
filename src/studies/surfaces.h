// SPDX-License-Identifier: Apache-2.0
// The study `surfaces`: the papers' cost formulas over two tile sizes, and whether stepwise descent
// finds their minimum. algorithms.md 5.3.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "space.h"

namespace tileplan {

/// A cost over tile heights and widths, C = L = 32 and n = 100.
struct Surface {
  std::string name;  ///< of the model that the Droplet paper lists
  std::function<double(double height, double width)> cost;
};

/// ESS, WMC, LRW, TSS, EUC, MOON, TLI and MHCF.
std::vector<Surface> cost_surfaces();

/// The sizes that both coordinates take: 1, 6, ..., 96.
std::vector<std::int64_t> surface_sizes();

/// What there is to say about one surface.
struct SurfaceShape {
  SpacePoint minimum;    ///< places of the smallest value
  double value = 0;      ///< there
  int local_minima = 0;  ///< points below all of their neighbours
  SpacePoint descent;    ///< where steepest descent from the first point ends
  int evaluations = 0;   ///< different points that the descent looked at
};

SurfaceShape shape_of(const Surface& surface);

/// Writes surfaces.csv (formula, height, width, cost) and summary.txt into `folder`, and says the
/// summary.
void study_surfaces(const std::string& folder, const std::function<void(const std::string&)>& say);

}  // namespace tileplan
