// SPDX-License-Identifier: Apache-2.0
// Prints numbers for readers.
#include "document.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace tileplan {

double total(const Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string with_prefix(double value, const std::string& unit) {
  constexpr std::array kFactors{1e12, 1e9, 1e6, 1e3, 1.0, 1e-3, 1e-6, 1e-9};
  constexpr std::array kNames{"T", "G", "M", "k", "", "m", "u", "n"};
  if (value == 0) return "0 " + unit;
  std::size_t at = 0;
  while (at + 1 < kFactors.size() && std::abs(value) < kFactors[at]) ++at;
  // The number 999.6 would round to 1000, so it is 1.00 with the next larger prefix.
  constexpr double kTen = 9.995, kHundred = 99.95, kThousand = 999.5;
  if (at > 0 && std::abs(value) / kFactors[at] >= kThousand) --at;
  const double scaled = value / kFactors[at], size = std::abs(scaled);
  const bool whole = kFactors[at] == 1 && scaled == std::floor(scaled);
  const int digits = whole ? 0 : size < kTen ? 2 : size < kHundred ? 1 : 0;
  const std::string name = kNames[at] + unit;
  return fixed(scaled, digits) + (name.empty() ? "" : " " + name);
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

Cell quantity(double value, const std::string& unit) { return {with_prefix(value, unit), value}; }
Cell decimals(double value, int digits) { return {fixed(value, digits), value}; }
Cell percent_cell(double share) { return {percent(share), share}; }

}  // namespace tileplan
