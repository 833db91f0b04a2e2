// SPDX-License-Identifier: Apache-2.0
// This file keeps candidates in the order of the search, and lists the reasons why others were
// rejected.
#include "candidates.h"

#include <algorithm>
#include <utility>

namespace tileplan {

void Candidates::add(Candidate candidate) {
  best_seconds = std::min(best_seconds, candidate.prediction.seconds);
  scored.push_back(std::move(candidate));
}

void Candidates::add(Candidates others) {
  for (Candidate& each : others.scored) add(std::move(each));
  for (const auto& [reason, count] : others.reasons) reasons[reason] += count;
}

std::vector<Rejected> Candidates::rejected_reasons() const {
  std::vector<Rejected> all;
  for (const auto& [reason, count] : reasons) all.push_back({.reason = reason, .count = count});
  return all;
}

std::string Candidates::why_empty(const Problem& problem) const {
  std::string why = "plan: no schedule of " + name_of(problem) + " fits";
  for (const auto& [reason, count] : reasons)
    why += "; " + reason + " (" + std::to_string(count) + ")";
  return why;
}

}  // namespace tileplan
