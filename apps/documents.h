// SPDX-License-Identifier: Apache-2.0
// The JSON documents and the tables that the verbs print, and the plan files.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tileplan/plan.h"

namespace tileplan {

using Json = nlohmann::ordered_json;

/// The document of `plan --json`; what was not measured is null.
Json plan_document(const Plan& plan);

/// The ranked table: rank, predicted and measured time, share of peak, bottleneck, schedule.
std::string plan_table(const Plan& plan);

/// Writes text to `path` through a temporary file beside it. Throws Error.
void write_file(const std::string& path, const std::string& text);

/// The problem and the first schedule of a file that `plan --save` wrote. Throws Error naming file
/// and field.
struct SavedPlan {
  Problem problem;
  Schedule schedule;
};
SavedPlan read_plan(const std::string& path);

/// "1.234 ms", "56.7 us".
std::string format_seconds(double seconds);

}  // namespace tileplan
