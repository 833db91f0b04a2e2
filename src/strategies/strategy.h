// SPDX-License-Identifier: Apache-2.0
// This file runs a strategy by its name on the schedules of one computation.
#pragma once

#include "schedule_space.h"
#include "search_session.h"

namespace tileplan {

struct SearchProblem {
  const Computation& computation;
  const Machine& machine;
  const ScheduleSpace& space;
  std::vector<std::string> ranked = {};  ///< The strategy `model` measures them in this order.
};

std::vector<std::string> strategy_names();

/// Returns true when the search depends on the seed. Throws Error for an unknown name.
bool is_random(const std::string& strategy);

/// Runs `strategy` until it or the session ends. Throws Error for an unknown name.
void run_strategy(const std::string& strategy, const SearchProblem& problem, SearchSession& session,
                  std::uint64_t seed);

}  // namespace tileplan
