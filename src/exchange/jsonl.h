// SPDX-License-Identifier: Apache-2.0
// Writes and reads candidate lists as lines of JSON, whose schema is data/candidates.schema.json.
#pragma once

#include <string>
#include <vector>

#include "candidate_list.h"

namespace tileplan {

/// Returns one object without a line break: problem, machine, schedule, microkernel, order class,
/// loop order, tile sizes per level, predicted seconds, and bytes and seconds per level.
std::string json_line(const ListedCandidate& listed, const CandidateList& list);

/// Holds the keys of a line that do not follow from the others.
struct JsonCandidate {
  Problem problem = {};
  std::string machine = {};
  Candidate candidate = {};
};

/// Returns the candidates of `text` in its order and skips empty lines. Throws Error with `origin`
/// (the file), the line and the rule.
std::vector<JsonCandidate> read_json_lines(const std::string& text, const std::string& origin);

}  // namespace tileplan
