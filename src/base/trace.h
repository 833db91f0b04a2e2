// SPDX-License-Identifier: Apache-2.0
// TILEPLAN_TRACE lists stages to print: orders, kernels, search, rank, verify, and run (kernels).
#pragma once

#include <string>
#include <string_view>

namespace tileplan {

/// Returns true when `stage` stands between the commas of `list`, as in ("order,run", "run").
bool lists_stage(std::string_view list, std::string_view stage);

/// Returns true when TILEPLAN_TRACE, read at the first call, lists `stage`. Any thread may call it.
bool is_traced(std::string_view stage);

/// Writes "STAGE  FIELDS\n" in one piece on stderr. `fields` are "key=value ...".
void trace(std::string_view stage, std::string_view fields);

}  // namespace tileplan
