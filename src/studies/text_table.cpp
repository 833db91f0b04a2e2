// SPDX-License-Identifier: Apache-2.0
// Stream manipulators pad the cells.
#include "text_table.h"

#include <cmath>
#include <iomanip>

namespace tileplan {

std::string decimals(std::optional<double> value, int digits, double scale,
                     const std::string& unit) {
  if (!value || !std::isfinite(*value)) return "-";
  return joined(std::fixed, std::setprecision(digits), *value * scale, unit);
}

std::string text_row(const TextColumns& columns, const std::string& name,
                     const std::vector<std::string>& cells) {
  std::ostringstream line;
  line << std::left << std::setw(columns.name) << name << std::right;
  for (const std::string& cell : cells) line << std::setw(columns.cell) << cell;
  line << '\n';
  return line.str();
}

}  // namespace tileplan
