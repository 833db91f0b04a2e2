// SPDX-License-Identifier: Apache-2.0
// This file formats the lines about the stages that TILEPLAN_TRACE lists.
#include "stage_trace.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "trace.h"

namespace tileplan {
namespace {

using TraceFields = std::initializer_list<std::pair<std::string_view, double>>;

void trace_fields(std::string_view stage, std::string line, TraceFields fields) {
  for (const auto& [key, value] : fields) {
    std::array<char, 32> text{};
    const bool is_count = value == std::floor(value) && std::isfinite(value);
    std::snprintf(text.data(), text.size(), is_count ? "%.0f" : "%.5e", value);
    if (!line.empty()) line += ' ';
    line.append(key).append("=").append(text.data());
  }
  trace(stage, line);
}

}  // namespace

void trace_stage(std::string_view stage, TraceFields fields) {
  if (is_traced(stage)) trace_fields(stage, "", fields);
}

void trace_search(std::string_view step, const SearchSpace& space, const SearchResults& found) {
  if (!is_traced("search")) return;
  double rejected = 0;
  for (const auto& [reason, count] : found.candidates.reasons)
    rejected += static_cast<double>(count);
  std::string line = "step=";
  line.append(step).append(" isa=").append(to_string(space.machine.vector.isa));
  trace_fields("search", line,
               {{"combos", found.record.divisors.combos},
                {"nodes", static_cast<double>(found.record.nodes)},
                {"candidates", static_cast<double>(found.candidates.scored.size())},
                {"rejected", rejected},
                {"best_seconds", found.candidates.best_seconds}});
}

}  // namespace tileplan
