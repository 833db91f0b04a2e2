// SPDX-License-Identifier: Apache-2.0
// This file collects scored schedules, and the reasons why other schedules were rejected.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

struct Candidates {
  std::vector<Candidate> ranked;  ///< Candidates are in the order of the search.
  std::map<std::string, std::int64_t>
      reasons;  ///< Each reason has the number of rejected schedules.
  double seconds = std::numeric_limits<double>::infinity();  ///< This is the least predicted time.

  void add(Candidate candidate);
  /// Adds the candidates and reasons of `others`.
  void add(Candidates others);
  std::vector<Rejected> rejected_reasons() const;
  /// Returns one line of text for a problem that no schedule in the space can run.
  std::string why_empty(const Problem& problem) const;
};

}  // namespace tileplan
