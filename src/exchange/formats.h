// SPDX-License-Identifier: Apache-2.0
// This file declares the function that tells which schedules a format of candidate lists can
// express.
#pragma once

#include "candidate_pool.h"
#include "element_loops.h"
#include "tileplan/candidates.h"

namespace tileplan {

/// Returns a function that refuses schedules of `loops` that `format` cannot express for `machine`.
/// `loops` and `machine` must outlive the function.
Refusal refusal_of(CandidateFormat format, const StripLoops& loops, const Machine& machine);

}  // namespace tileplan
