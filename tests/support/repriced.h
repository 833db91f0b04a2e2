// SPDX-License-Identifier: Apache-2.0
// A schedule with the prefetches that the model chooses.
#pragma once

#include "expand_schedules.h"

namespace tileplan {

/// `schedule`, which kernels can read, in its own layouts.
inline Candidate repriced(const CostContext& pricing, const Schedule& schedule) {
  Candidates candidates;
  append_layouts(candidates, pricing, schedule, {{.in = schedule.in, .out = schedule.out}});
  return candidates.ranked.at(0);
}

}  // namespace tileplan
