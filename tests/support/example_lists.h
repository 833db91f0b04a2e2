// SPDX-License-Identifier: Apache-2.0
// This file makes candidate lists for the tests that write and read them.
#pragma once

#include <string>

#include "tileplan/candidates.h"

namespace tileplan {

inline CandidateList list_of(const std::string& problem, int top) {
  Options options;
  options.top = top;
  return candidates(parse_problem(problem), load_machine("xeon-gold-6130"), options);
}

}  // namespace tileplan
