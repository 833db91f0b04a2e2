// SPDX-License-Identifier: Apache-2.0
// This file declares which schedules a format of candidate lists can express.
#pragma once

#include "candidate_pool.h"
#include "tileplan/candidates.h"

namespace tileplan {

/// Returns a function that refuses schedules which `format` cannot express for `machine`. The
/// machine must outlive the function.
Refusal refusal_of(CandidateFormat format, const Machine& machine);

}  // namespace tileplan
