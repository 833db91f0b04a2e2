// SPDX-License-Identifier: Apache-2.0
// The overlap exponent of models/README.md eq. (T) from measured times.
#pragma once

#include <optional>
#include <vector>

namespace tileplan {

/// Seconds of one kernel: alone on data in L1, of its data on their way alone, and of both at once.
struct OverlapPoint {
  double compute = 0, transfer = 0, both = 0;
};

/// The exponent in [2, 4] for which (compute^rho + transfer^rho)^(1/rho) differs least from `both`,
/// in absolute values of logarithms (not squares: one disturbed point then
/// outweighs all others, and rho was 1.8 to 10 in a row on one machine). Within 0.1 %. The range is
/// that of nests, whose streams are less regular than those measured here: random schedules of
/// Sapphire Rapids, Zen 5 and Zen 4 are ordered best by 2.5 to 4, 1 to 8 % of rank correlation
/// worse by 1.5 and by 16 (data/results, ranking). Points where one part is below a fifth of the
/// other say nothing about it and are left out; nothing without any other.
std::optional<double> fit_overlap(const std::vector<OverlapPoint>& points);

}  // namespace tileplan
