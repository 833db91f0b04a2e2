// SPDX-License-Identifier: Apache-2.0
// Writes numbers and rows of fixed width for the summaries of the studies.
#pragma once

#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tileplan {

constexpr double kMicroseconds = 1e6;  ///< 1/s
constexpr double kPercent = 100;

/// Returns the texts and numbers of `parts` on end, as a stream writes them.
template <class... Parts>
std::string joined(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

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
