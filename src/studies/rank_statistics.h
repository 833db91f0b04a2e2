// SPDX-License-Identifier: Apache-2.0
// This file measures how well the orders of two lists of numbers agree. Lists may contain equal
// numbers.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tileplan {

/// Returns ranks from 1. Equal values get their mean rank: 10 20 20 5 have ranks 2, 3.5, 3.5, 1.
std::vector<double> average_ranks(std::span<const double> values);

/// Returns Spearman's rank correlation, or nothing when a list is empty or constant. Requires that
/// both lists have the same size. Example: 1 2 3 4 5 and 5 6 7 8 7 give 8 / sqrt(95).
std::optional<double> spearman_rho(std::span<const double> first, std::span<const double> second);

/// Returns Kendall's tau-b, or nothing when a list is empty or constant. Requires that both lists
/// have the same size. Example: 1 2 3 4 and 1 3 2 4 give (5 - 1) / 6.
std::optional<double> kendall_tau(std::span<const double> first, std::span<const double> second);

}  // namespace tileplan
