// SPDX-License-Identifier: Apache-2.0
// This file minimises a sum of functions of few variables each, by eliminating one variable after
// another.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace tileplan {

/// This cost forbids a combination of values.
inline constexpr double kForbiddenCost = std::numeric_limits<double>::infinity();

/// Holds a function of the variables in `scope`, which are in ascending order. The value of the
/// first variable changes slowest in `costs`.
struct CostTable {
  std::vector<int> scope = {};
  std::vector<double> costs = {};
};

/// Describes a sum of cost tables. Variable i has the values 0 to sizes[i] - 1.
struct CostSum {
  std::vector<int> sizes = {};
  /// An auxiliary variable is no choice: it takes the best value for given values of all other
  /// variables.
  std::vector<bool> is_auxiliary = {};
  std::vector<CostTable> tables = {};
};

/// Holds values of all variables. `bound` is a lower bound of the cost of any values.
struct Minimum {
  std::vector<int> values = {};
  double cost = 0;
  double bound = 0;  ///< It equals `cost` up to rounding, unless a sum of tables is split.
  /// This is a lower bound of the cost of all values that differ from `values` in a variable that
  /// is not auxiliary. It is infinite if there are none or no such bound is known.
  double runner_up = 0;
};

/// Returns values with the smallest cost. Infinite costs forbid values. Variables are eliminated
/// one by one. Auxiliary variables come first if the tables stay small; otherwise the variable
/// whose tables add up to the smallest table is next. A sum of tables with more than `most_entries`
/// entries is split, and then the result need not be exact. See Bertelè and Brioschi, Nonserial
/// Dynamic Programming, 1972, and Dechter and Rish, Mini-buckets, 2003.
Minimum minimise(const CostSum& sum, double most_entries = 1 << 20);

/// Returns the sum of the costs of all tables for `values`, which has one value per variable.
double cost_of(const CostSum& sum, const std::vector<int>& values);

}  // namespace tileplan
