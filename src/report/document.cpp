// SPDX-License-Identifier: Apache-2.0
// Numbers for readers.
#include "document.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace tileplan {

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string with_prefix(double value, const std::string& unit) {
  struct Prefix {
    double factor;
    const char* name;
  };
  constexpr std::array<Prefix, 8> kPrefixes{{{1e12, "T"},
                                             {1e9, "G"},
                                             {1e6, "M"},
                                             {1e3, "k"},
                                             {1, ""},
                                             {1e-3, "m"},
                                             {1e-6, "u"},
                                             {1e-9, "n"}}};
  if (value == 0) return "0 " + unit;
  std::size_t at = 0;
  while (at + 1 < kPrefixes.size() && std::abs(value) < kPrefixes[at].factor) ++at;
  // 999.6 of one prefix would round to 1000: one of the next larger.
  constexpr double kTen = 9.995, kHundred = 99.95, kThousand = 999.5;
  if (at > 0 && std::abs(value) / kPrefixes[at].factor >= kThousand) --at;
  const double scaled = value / kPrefixes[at].factor, size = std::abs(scaled);
  const bool whole = kPrefixes[at].factor == 1 && scaled == std::floor(scaled);
  const int digits = whole ? 0 : size < kTen ? 2 : size < kHundred ? 1 : 0;
  const std::string name = kPrefixes[at].name + unit;
  return fixed(scaled, digits) + (name.empty() ? "" : " " + name);
}

Cell quantity(double value, const std::string& unit) {
  return {.text = with_prefix(value, unit), .value = value};
}

}  // namespace tileplan
