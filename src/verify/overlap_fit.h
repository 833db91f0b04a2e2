// SPDX-License-Identifier: Apache-2.0
// The overlap exponent of model.md 8.3 from measured times.
#pragma once

#include <optional>
#include <vector>

namespace tileplan {

/// Seconds of one kernel: alone on data in L1, of its data on their way alone, and of both at once.
struct OverlapPoint {
  double compute = 0, transfer = 0, both = 0;
};

/// The exponent in [1, 16] for which (compute^rho + transfer^rho)^(1/rho) differs least from
/// `both`, in squares of logarithms (model.md 8.4, 4). Points where one part is below a fifth of
/// the other say nothing about it and are left out; nothing without any other.
std::optional<double> fit_overlap(const std::vector<OverlapPoint>& points);

}  // namespace tileplan
