// SPDX-License-Identifier: Apache-2.0
// Declares which schedules a format of candidate lists can express.
#pragma once

#include "candidate_pool.h"
#include "tileplan/candidates.h"

namespace tileplan {

/// Returns a function that refuses schedules that `format` cannot express with `lanes` lanes.
Refusal refusal_of(CandidateFormat format, int lanes);

}  // namespace tileplan
