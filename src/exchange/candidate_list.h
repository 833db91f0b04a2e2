// SPDX-License-Identifier: Apache-2.0
// Makes the candidate list that other tuners start from: fast by the model, and diverse.
#pragma once

#include <map>

#include "candidate_pool.h"

namespace tileplan {

/// A candidate with what other tuners need to know of it.
struct ListedCandidate {
  Candidate candidate;
  std::string microkernel;  ///< as microkernel_of
  std::string order_class;  ///< of the loops around each cache's tile, innermost cache first
  std::vector<Tile> tiles;  ///< held by each cache, innermost first
};

struct CandidateList {
  Machine machine = {};
  Computation computation = {};                  ///< in the dims that the schedules name
  std::vector<ListedCandidate> candidates = {};  ///< best first, never empty
  std::map<std::string, int> refused = {};       ///< schedules of the plan, by reason
};

/// Counts how much the candidates of a list differ.
struct ListVariety {
  int pairs = 0;         ///< distinct pairs of microkernel and order class
  int same_volumes = 0;  ///< candidates that move the bytes of an earlier one at every level
};
ListVariety variety_of(const CandidateList& list);

/// Returns at most `options.top` schedules from the pool of `problem`, and the same list for the
/// same input. Of schedules that move the same bytes at every cache level one stays. Each
/// competitive layout gets an equal part, of which a pair of microkernel and order class gets a
/// twentieth. Schedules that `refusal` names leave their places to others, unless none would be
/// left. Throws Error as `plan` does.
CandidateList candidate_list(const Problem& problem, const Machine& machine, const Options& options,
                             const Refusal& refusal = {});

}  // namespace tileplan
