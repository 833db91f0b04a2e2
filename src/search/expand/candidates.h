// SPDX-License-Identifier: Apache-2.0
// This file collects scored schedules and the reasons why others are missing.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

struct Candidates {
  std::vector<Candidate> ranked;                ///< They are in the order of the search.
  std::map<std::string, std::int64_t> reasons;  ///< It counts the rejected schedules by reason.
  double seconds = std::numeric_limits<double>::infinity();  ///< It is the least prediction.

  void add(Candidate candidate);
  /// Adds all of `others` and their reasons.
  void add(Candidates others);
  std::vector<Rejected> rejected_reasons() const;
  /// Returns one line for a problem that nothing in the space can run.
  std::string why_empty(const Problem& problem) const;
};

}  // namespace tileplan
