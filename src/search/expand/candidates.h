// SPDX-License-Identifier: Apache-2.0
// This file collects predicted schedules, and the reasons why other schedules were rejected.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

struct Candidates {
  std::vector<Candidate> scored;  ///< Candidates are in the order of the search.
  /// Maps each reason to the number of rejected schedules.
  std::map<std::string, std::int64_t> reasons;
  /// Holds the least predicted seconds of all candidates, or infinity if there are none.
  double best_seconds = std::numeric_limits<double>::infinity();

  void add(Candidate candidate);
  void add(Candidates others);
  std::vector<Rejected> rejected_reasons() const;
  /// Returns the error message, on one line, for a problem that no schedule can run.
  std::string why_empty(const Problem& problem) const;
};

}  // namespace tileplan
