// SPDX-License-Identifier: Apache-2.0
// Measures how well two lists of numbers agree in their order, ties included.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tileplan {

/// Returns ranks from 1; equal values get their mean. Example: 10 20 20 5 have 2, 3.5, 3.5, 1.
std::vector<double> average_ranks(std::span<const double> values);

/// Returns Spearman's correlation of the ranks, or nothing when one side is constant. Requires
/// equal sizes. Example: 1 2 3 4 5 and 5 6 7 8 7 give 8 / sqrt(95).
std::optional<double> spearman_rho(std::span<const double> first, std::span<const double> second);

/// Returns Kendall's tau-b, or nothing when one side has no untied pair. Requires equal sizes.
/// Example: 1 2 3 4 and 1 3 2 4 give (5 - 1) / 6.
std::optional<double> kendall_tau(std::span<const double> first, std::span<const double> second);

}  // namespace tileplan
