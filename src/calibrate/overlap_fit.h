// SPDX-License-Identifier: Apache-2.0
// Fits the overlap exponent of models/README.md eq. (T) to measured times.
#pragma once

#include <optional>
#include <vector>

namespace tileplan {

/// Holds the seconds of a kernel on data in L1, of loading its data, and of both at once.
struct OverlapPoint {
  double compute = 0, transfer = 0, both = 0;
};

/// Returns the exponent in [2, 4] for which (compute^rho + transfer^rho)^(1/rho) is closest to
/// `both` in logarithms. Returns nothing unless, for some point, `compute` and `transfer` differ by
/// at most a factor of five.
std::optional<double> fit_overlap(std::vector<OverlapPoint> points);

}  // namespace tileplan
