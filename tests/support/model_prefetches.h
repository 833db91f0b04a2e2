// SPDX-License-Identifier: Apache-2.0
// This file adds the prefetches that the model chooses to a schedule.
#pragma once

#include "expand_schedules.h"

namespace tileplan {

/// Returns `schedule` with the prefetches that the model would choose, and its prediction. Requires
/// that kernels can read the layouts of `schedule`.
inline Candidate with_model_prefetches(const CostContext& pricing, const Schedule& schedule) {
  Candidates candidates;
  append_layouts(candidates, pricing, schedule, {{.in = schedule.in, .out = schedule.out}});
  return candidates.scored.at(0);
}

}  // namespace tileplan
