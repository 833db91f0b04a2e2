// SPDX-License-Identifier: Apache-2.0
// These strategies compute a list of schedules by a model of another paper, and measure the first.
#pragma once

#include "search_problem.h"
#include "search_session.h"

namespace tileplan {

/// Measures MOpt's selections (mopt.h) of the fastest microkernel, those of the least cost first.
void mopt_search(const SearchProblem& problem, SearchSession& session);

/// Tells how a strategy orders the schedules that TTile lists.
enum class TtileOrder {
  metric,  ///< The report's metric (ttile_order) selects and sorts them.
  model,   ///< All are sorted by our predicted times.
};

/// Lists the schedules of all fast microkernels as TTile does (ttile.h), and measures the first 200
/// in `order`.
void ttile_search(const SearchProblem& problem, SearchSession& session, TtileOrder order);

}  // namespace tileplan
