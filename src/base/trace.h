// SPDX-License-Identifier: Apache-2.0
// TILEPLAN_TRACE lists the stages to print: orders, search, combos, winograd, rank, verify and run.
#pragma once

#include <string>
#include <string_view>

namespace tileplan {

/// Returns true when the comma-separated `list` contains `stage`, as in ("orders,run", "run").
bool lists_stage(std::string_view list, std::string_view stage);

/// Returns true when TILEPLAN_TRACE lists `stage`. The variable is read once, at the first call.
/// Any thread may call this function.
bool is_traced(std::string_view stage);

/// Writes "STAGE  FIELDS\n" to stderr in one write. `fields` are written as "key=value ...".
void trace(std::string_view stage, std::string_view fields);

}  // namespace tileplan
