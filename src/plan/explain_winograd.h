// SPDX-License-Identifier: Apache-2.0
// This file explains the stages of Winograd schedules.
#pragma once

#include <string>

#include "tileplan/explain.h"
#include "tileplan/text.h"

namespace tileplan {

/// Returns explain() of a schedule with winograd tiles. Requires that `machine` is
/// machine_for_schedule() and that its `cores` are the threads of the schedule.
Explanation explain_winograd(const Problem& problem, const Machine& machine,
                             const Schedule& schedule, const Options& options);

/// Returns the tables of stages and boxes, or nothing for other schedules.
std::string stages_text(const Explanation& explanation, TextStyle style);

/// Returns the calls that `branch` makes, for direct and Winograd schedules alike.
MicrokernelCalls calls_from(const struct BranchCompute& branch);

}  // namespace tileplan
