// SPDX-License-Identifier: Apache-2.0
// Makes the candidate list that other tuners start from: fast by the model, and diverse.
#pragma once

#include <map>

#include "candidate_pool.h"

namespace tileplan {

/// Holds a candidate with the facts that other tuners need. Caches are innermost first.
struct ListedCandidate {
  Candidate candidate;
  std::string microkernel;  ///< microkernel_of writes it.
  std::string order_class;  ///< It names the order of the loops around the tile of each cache.
  std::vector<Tile> tiles;  ///< Each cache holds one of them.
};

struct CandidateList {
  Machine machine = {};
  Computation computation = {};                  ///< Its dims are those that schedules name.
  std::vector<ListedCandidate> candidates = {};  ///< The best is first; it is never empty.
  std::map<std::string, int> refused = {};       ///< It counts schedules of the plan by reason.
};

/// Counts how much the candidates of a list differ.
struct ListVariety {
  int pairs = 0;         ///< It counts distinct pairs of microkernel and order class.
  int same_volumes = 0;  ///< These candidates move the bytes of an earlier one at every level.
};
ListVariety variety_of(const CandidateList& list);

/// Returns at most `options.top` schedules from the pool of `problem`, and the same list for the
/// same input. One of the schedules that move the same bytes at every cache level stays: the plan's
/// choice, else the fastest of a layout, preferably of one that has few candidates so far. While
/// others are left, each competitive layout gets an equal part, and one pair of microkernel and
/// order class a twentieth of it. Schedules that `refusal` names leave their places to others,
/// unless none would be left. Nothing is measured. Throws Error as `plan` does.
CandidateList candidate_list(const Problem& problem, const Machine& machine, const Options& options,
                             const Refusal& refusal = {});

}  // namespace tileplan
