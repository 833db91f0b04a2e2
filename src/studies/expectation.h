// SPDX-License-Identifier: Apache-2.0
// The study `expectation` asks whether a chain of tile sizes with falling times leads to the
// fastest kernel.
#pragma once

#include "surfaces.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Describes a problem whose two innermost loops are tiled.
struct ExpectationCase {
  std::string name;
  Problem problem;
  std::vector<std::int64_t> heights = {}, widths = {};  ///< Sizes are in elements; 0 means untiled.
  std::function<Schedule(std::int64_t height, std::int64_t width)> schedule;
};

/// Returns the two cases of the Droplet paper: a 1000 x 700 x 800 product with tiles of i and j,
/// and a 1024 x 1024 convolution with a 3 x 3 filter and tiles of rows and columns. Each has 17 x
/// 17 tile sizes.
std::vector<ExpectationCase> expectation_cases(int lanes);

/// Returns milliseconds by tile sizes. A schedule that `seconds` lacks costs infinitely much.
Surface measured_surface(const ExpectationCase& one, const std::map<std::string, double>& seconds);

}  // namespace tileplan
