// SPDX-License-Identifier: Apache-2.0
// Writes candidates for tools/metaschedule_replay.py, which replays them in TVM.
#pragma once

#include <string>

#include "candidate_list.h"

namespace tileplan {

/// Returns the object of `json_line` with two more keys: `computation`, its dims, reductions and
/// tensors with the expressions of their indices, and `loops`, outermost first, each with dim,
/// trips, step and kind. Requires that why_no_splits gives no reason.
std::string metaschedule_line(const ListedCandidate& listed, const CandidateList& list);

}  // namespace tileplan
