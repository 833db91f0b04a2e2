// SPDX-License-Identifier: Apache-2.0
// This file formats numbers for reports.
#include "document.h"

#include <numeric>

namespace tileplan {

double total(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

Cell quantity(double value, const std::string& unit) { return {with_prefix(value, unit), value}; }
Cell decimals(double value, int digits) { return {fixed(value, digits), value}; }
Cell percent_cell(double share) { return {percent(share), share}; }
Cell quantity_or_dash(const std::optional<double>& value, const std::string& unit) {
  return value ? quantity(*value, unit) : Cell{"-"};
}

}  // namespace tileplan
