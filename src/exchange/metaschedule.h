// SPDX-License-Identifier: Apache-2.0
// Candidates for tools/metaschedule_replay.py, which replays them in TVM.
#pragma once

#include <string>

#include "candidate_list.h"

namespace tileplan {

/// The object of `json_line` with two keys more: `computation`, its dims, reductions and tensors
/// with the expressions of their indices; `loops`, outermost first, each with dim, trips, step and
/// kind. Requires: no reason of why_no_splits.
std::string metaschedule_line(const ListedCandidate& listed, const CandidateList& list);

}  // namespace tileplan
