// SPDX-License-Identifier: Apache-2.0
// Runs a strategy by its name on the schedules of one computation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schedule_space.h"
#include "search_session.h"

namespace tileplan {

struct SearchProblem {
  const Computation& computation;
  const Machine& machine;
  const ScheduleSpace& space;
  /// Schedule texts as the model ranks them: all that `model` measures.
  std::vector<std::string> ranked = {};
};

std::vector<std::string> strategy_names();

/// Returns whether the strategy draws at random: other seeds, other searches.
bool is_random(const std::string& strategy);

/// Runs `strategy` until its own rule or the session ends it. Throws Error for an unknown name.
void run_strategy(const std::string& strategy, const SearchProblem& problem, SearchSession& session,
                  std::uint64_t seed);

}  // namespace tileplan
