// SPDX-License-Identifier: Apache-2.0
// Removes the marks of a schedule that C cannot express.
#pragma once

#include <string>
#include <vector>

#include "computation.h"
#include "target.h"

namespace tileplan {

/// Returns `schedule` without marks that C cannot express: `nt`, and `ahead` when assembled kernels
/// would prefetch a transposed copy of the input. Throws Error as resolve() does.
Schedule as_emitted(const Computation& computation, Schedule schedule, Target target);

/// Returns one sentence for each mark of `schedule` that `emitted` lacks.
std::vector<std::string> notes_on(const Schedule& schedule, const Schedule& emitted);

}  // namespace tileplan
