// SPDX-License-Identifier: Apache-2.0
// This file runs a strategy by its name on the schedules of one computation.
#pragma once

#include "search_problem.h"
#include "search_session.h"

namespace tileplan {

std::vector<std::string> strategy_names();

/// Returns true when the search depends on the seed. Throws Error for an unknown name.
bool is_random(const std::string& strategy);

/// Returns the reason why this build cannot run `strategy`, or an empty text. Throws Error for an
/// unknown name.
std::string why_not(const std::string& strategy);

/// Runs `strategy` until the strategy or the session ends. Strategies that begin with "template-"
/// do nothing when the problem has no template (template_space.h) or the first point of a droplet
/// search is invalid. Throws Error for an unknown name, when a search that needs a valid point at
/// which to start finds none, and when it needs boosted trees that this build lacks (why_not()).
void run_strategy(const std::string& strategy, const SearchProblem& problem, SearchSession& session,
                  std::uint64_t seed);

}  // namespace tileplan
