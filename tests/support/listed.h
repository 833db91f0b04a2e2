// SPDX-License-Identifier: Apache-2.0
// Candidate lists to write and to look at.
#pragma once

#include <string>

#include "candidate_list.h"

namespace tileplan {

/// For a shipped machine, so that it is the same everywhere.
inline CandidateList list_of(const std::string& problem, int top) {
  Options options;
  options.top = top;
  return candidate_list(parse_problem(problem), load_machine("xeon-gold-6130"), options);
}

}  // namespace tileplan
