// SPDX-License-Identifier: Apache-2.0
// The study `expectation` tests whether a chain of falling times leads to the fastest tile sizes.
#pragma once

#include "surfaces.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Describes a problem with a family of schedules that tile two loops.
struct ExpectationCase {
  std::string name;
  Problem problem;
  /// These are the sizes of tiles in elements, where 0 means no tiles.
  std::vector<std::int64_t> heights = {}, widths = {};
  std::function<Schedule(std::int64_t height, std::int64_t width)> schedule;
};

/// Returns the two cases of the Droplet paper: a 1000 x 700 x 800 product with tiles of i and j,
/// and a 3 x 3 convolution of a 1024 x 1024 image with tiles of h and w. Each has 17 x 17 sizes.
std::vector<ExpectationCase> expectation_cases(int lanes);

/// Returns the times in milliseconds by tile sizes. A time is infinite for schedules that `seconds`
/// does not contain.
Surface measured_surface(const ExpectationCase& one, const std::map<std::string, double>& seconds);

}  // namespace tileplan
