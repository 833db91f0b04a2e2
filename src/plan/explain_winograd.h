// SPDX-License-Identifier: Apache-2.0
// This file explains Winograd schedules, and prints their stages.
#pragma once

#include <string>

#include "tileplan/explain.h"
#include "tileplan/text.h"

namespace tileplan {

/// Returns what explain() returns for a schedule with the mark winograd=. Requires that
/// machine_for_schedule() returned `machine`, with as many `cores` as the options have threads.
Explanation explain_winograd(const Problem& problem, const Machine& machine,
                             const Schedule& schedule, const Options& options);

/// Returns a legend, the error bound, a line for each box and the table of stages, or empty text
/// for direct schedules.
std::string stages_text(const Explanation& explanation, TextStyle style);

}  // namespace tileplan
