// SPDX-License-Identifier: Apache-2.0
// Explains the stages of Winograd schedules.
#pragma once

#include <string>

#include "tileplan/explain.h"

namespace tileplan {

/// Returns explain() of a schedule with winograd tiles. Requires that `machine` is that of the
/// schedule, with the cores that it may use.
Explanation explain_winograd(const Problem& problem, const Machine& machine,
                             const Schedule& schedule, const Options& options);

/// Returns the tables of stages and boxes, or nothing for other schedules.
std::string stages_text(const Explanation& explanation);

/// Returns what `explain` prints of the calls of microkernels.
MicrokernelCalls calls_from(const struct BranchCompute& branch);

}  // namespace tileplan
