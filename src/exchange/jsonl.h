// SPDX-License-Identifier: Apache-2.0
// Our own candidate lists: one JSON object per line. data/candidates.schema.json is their schema.
#pragma once

#include <string>
#include <vector>

#include "candidate_list.h"

namespace tileplan {

/// One object, without a line break: problem, machine, schedule, microkernel, order class, loop
/// order, tile sizes per level, predicted seconds, and bytes and seconds per level.
std::string json_line(const ListedCandidate& listed, const CandidateList& list);

/// What a line says that does not follow from the rest of it.
struct JsonCandidate {
  Problem problem = {};
  std::string machine = {};
  Candidate candidate = {};
};

/// The candidates of `text`, in its order; empty lines are skipped. Throws Error with `origin` (the
/// file), the line and the rule.
std::vector<JsonCandidate> read_json_lines(const std::string& text, const std::string& origin);

}  // namespace tileplan
