// SPDX-License-Identifier: Apache-2.0
// This file writes numbers and rows of fixed width for the summaries of studies.
#pragma once

#include <cmath>
#include <iomanip>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tileplan {

constexpr double kMicroseconds = 1e6;  ///< This many microseconds are one second.
constexpr double kPercent = 100;

/// Returns the texts of all `parts`, joined as a stream writes them.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

/// Returns `value` times `scale`, then `unit`, or "-" when the value is missing or not finite.
inline std::string decimals(std::optional<double> value, int digits, double scale = 1,
                            const std::string& unit = "") {
  if (!value || !std::isfinite(*value)) return "-";
  return joined(std::fixed, std::setprecision(digits), *value * scale, unit);
}

struct TextColumns {
  int name = 0, cell = 0;
};

/// Returns one line with `name` flush left and `cells` flush right.
inline std::string text_row(const TextColumns& columns, const std::string& name,
                            const std::vector<std::string>& cells) {
  std::ostringstream line;
  line << std::left << std::setw(columns.name) << name << std::right;
  for (const std::string& cell : cells) line << std::setw(columns.cell) << cell;
  line << '\n';
  return line.str();
}

}  // namespace tileplan
