// SPDX-License-Identifier: Apache-2.0
// Plans are measured with the help of what earlier runs measured.
#pragma once

#include "flags.h"

namespace tileplan {

/// Returns the plan of `problem` with its best `options.verify` candidates measured. Measurements
/// in the records of `flags` are reused, and new ones are added to them. Throws Error as plan() and
/// verify() do, and when the records cannot be used.
Plan plan_with_records(const Problem& problem, const Machine& machine, Options options,
                       const PlanFlags& flags);

}  // namespace tileplan
