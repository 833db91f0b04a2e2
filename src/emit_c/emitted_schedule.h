// SPDX-License-Identifier: Apache-2.0
// This file lowers a schedule for emitted C, which cannot express some marks of schedules, such as
// `nt`.
#pragma once

#include <string>
#include <vector>

#include "loop_program.h"
#include "stage_plan.h"
#include "tileplan/emit.h"

namespace tileplan {

/// Returns `schedule` without the marks that C cannot express. `nt` (streaming stores) is removed
/// always. `ahead` (prefetch of the next tile) is removed when assembled kernels would prefetch a
/// transposed copy of the input, which the emitted C does not make. The loops execute
/// `computation`, and `stages` is null when no stages surround them. Throws Error as resolve()
/// does.
Schedule as_emitted(const Computation& computation, Schedule schedule, Target target,
                    const StagePlan* stages);

/// Returns one sentence for each mark of `schedule` that `emitted` does not have.
std::vector<std::string> notes_on(const Schedule& schedule, const Schedule& emitted);

/// Returns the program of `schedule`, whose loops run over `computation`. `given` is the
/// computation of the problem. `computation` differs from it for the products of a Winograd
/// convolution, and for loops over strips or other types (in_strips()) with `stages` around them.
/// Throws Error as resolve(), check_winograd_nest(), layout_of() and lower() do.
LoopProgram lowered(const Computation& given, const Computation& computation,
                    const Schedule& schedule, Target target, const StagePlan* stages);

}  // namespace tileplan
