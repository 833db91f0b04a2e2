// SPDX-License-Identifier: Apache-2.0
// Writes numbers and rows of fixed width for the summaries of the studies.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tileplan {

constexpr double kMicroseconds = 1e6;  ///< in a second
constexpr double kPercent = 100;

/// Returns `value` times `scale`, then `unit`; "-" when it is missing or not finite.
std::string decimals(std::optional<double> value, int digits, double scale = 1,
                     const std::string& unit = "");

struct TextColumns {
  int name = 0, cell = 0;
};

/// Returns one line: `name` flush left, the cells flush right.
std::string text_row(const TextColumns& columns, const std::string& name,
                     const std::vector<std::string>& cells);

}  // namespace tileplan
