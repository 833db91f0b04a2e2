// SPDX-License-Identifier: Apache-2.0
// This file fits the overlap exponent rho of eq. (T), models/README.md, to measured times.
#pragma once

#include <optional>
#include <vector>

namespace tileplan {

/// Holds the seconds of a kernel on data in the L1, of loading its data, and of both at once.
struct OverlapPoint {
  double compute = 0, transfer = 0, both = 0;
};

/// Returns the exponent rho in [2, 16] for which (compute^rho + transfer^rho)^(1/rho) is closest to
/// `both` in logarithms, summed over the points. Points whose `compute` and `transfer` differ by
/// more than a factor of five are ignored. Returns nothing if no other points are left.
std::optional<double> fit_overlap(std::vector<OverlapPoint> points);

}  // namespace tileplan
