// SPDX-License-Identifier: Apache-2.0
// This file adds the prefetches that the model chooses to a schedule.
#pragma once

#include "expand_schedules.h"

namespace tileplan {

/// Returns `schedule` with the prefetches that the model would choose. Requires that kernels can
/// read its layouts.
inline Candidate with_model_prefetches(const CostContext& pricing, const Schedule& schedule) {
  Candidates candidates;
  append_layouts(candidates, pricing, schedule, {{.in = schedule.in, .out = schedule.out}});
  return candidates.scored.at(0);
}

}  // namespace tileplan
