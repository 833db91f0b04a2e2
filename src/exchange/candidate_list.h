// SPDX-License-Identifier: Apache-2.0
// The pruned list that other tuners start from: good by the model, and different from each other.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "candidate_pool.h"
#include "computation.h"
#include "tileplan/plan.h"

namespace tileplan {

/// A candidate as other tuners need it.
struct ListedCandidate {
  Candidate candidate;
  std::string microkernel;  ///< the specifiers that size the register tile: "U(14,w) U(2,k) V(k)"
  std::string order_class;  ///< of the loops around what each cache holds, innermost cache first
  std::vector<Tile> tiles;  ///< held by each cache, innermost first
};

struct CandidateList {
  Machine machine = {};
  Computation computation = {};                  ///< in the dims that the schedules name
  std::vector<ListedCandidate> candidates = {};  ///< best first, never empty
  std::map<std::string, int> refused = {};       ///< of the plan's schedules, by reason
};

/// How much the candidates of a list differ.
struct ListVariety {
  int pairs = 0;         ///< distinct microkernels together with their order classes
  int same_volumes = 0;  ///< candidates that move as many bytes as an earlier one at every level
};
ListVariety variety_of(const CandidateList& list);

/// At most `options.top` schedules of `problem` out of its pool (candidate_pool.h): those of `plan`
/// and many near them. No two move the same bytes at every cache level; of those of one layout that
/// do the one predicted fastest stays, of layouts that are tied the one that has fewer so far,
/// unless the plan's choice is among them. Each competitive layout has an equal part while others
/// are left, and of this one microkernel and order class at most a twentieth. Measures nothing; the
/// same input gives the same list. Those that `refusal` names leave their places to others, unless
/// nothing would be left. Throws Error as `plan` does.
CandidateList candidate_list(const Problem& problem, const Machine& machine, const Options& options,
                             const Refusal& refusal = {});

}  // namespace tileplan
