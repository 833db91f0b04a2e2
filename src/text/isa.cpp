// SPDX-License-Identifier: Apache-2.0
// Names of instruction sets.
#include "tileplan/isa.h"

#include <array>
#include <utility>

namespace tileplan {

namespace {

constexpr std::array<std::pair<Isa, const char*>, 4> kNames = {{
    {Isa::avx2, "avx2"},
    {Isa::avx512, "avx512"},
    {Isa::avx512vl, "avx512vl"},
    {Isa::neon, "neon"},
}};

}  // namespace

std::string to_string(Isa isa) {
  for (const auto& [value, name] : kNames)
    if (value == isa) return name;
  return "unknown ISA";
}

std::optional<Isa> parse_isa(const std::string& text) {
  for (const auto& [value, name] : kNames)
    if (text == name) return value;
  return std::nullopt;
}

}  // namespace tileplan
