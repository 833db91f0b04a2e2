// SPDX-License-Identifier: Apache-2.0
// Writes candidate lists as lines of JSON, whose schema is data/candidates.schema.json.
#pragma once

#include <string>

#include "candidate_list.h"

namespace tileplan {

/// Returns one object without a line break: problem, machine, schedule, microkernel, order class,
/// loop order, tile sizes per level, predicted seconds, and bytes and seconds per level.
std::string json_line(const ListedCandidate& listed, const CandidateList& list);

}  // namespace tileplan
