// SPDX-License-Identifier: Apache-2.0
// Explanations of direct and Winograd schedules describe microkernel calls in the same way.
#pragma once

#include "compute.h"
#include "tileplan/explain.h"

namespace tileplan {

/// Returns the number, the size and the cycles of the microkernel calls of `branch`, as if one core
/// made them all.
MicrokernelCalls calls_from(const BranchCompute& branch);

}  // namespace tileplan
