// SPDX-License-Identifier: Apache-2.0
// The study `expectation` asks whether a falling chain of tile sizes leads to the fastest kernel.
#pragma once

#include "surfaces.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// A problem whose two innermost loops are tiled.
struct ExpectationCase {
  std::string name;
  Problem problem;
  std::vector<std::int64_t> heights = {}, widths = {};  ///< They are elements; 0 is untiled.
  std::function<Schedule(std::int64_t height, std::int64_t width)> schedule;
};

/// Returns the Droplet paper's two: a 1000 x 700 x 800 product with tiles of i and j, and a 1024 x
/// 1024 3 x 3 convolution with tiles of rows and columns, 17 x 17 sizes each.
std::vector<ExpectationCase> expectation_cases(int lanes);

/// Returns milliseconds by tile sizes; the cost of a schedule without `seconds` is infinite.
Surface measured_surface(const ExpectationCase& one, const std::map<std::string, double>& seconds);

}  // namespace tileplan
