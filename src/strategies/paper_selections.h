// SPDX-License-Identifier: Apache-2.0
// These strategies compute a list of schedules by a model of another paper, and measure them in its
// order.
#pragma once

#include "search_problem.h"
#include "search_session.h"

namespace tileplan {

/// Measures MOpt's selections (mopt.h) for the fastest microkernel, in the order of their costs.
/// Selections that are valid in no layout are left out.
void mopt_search(const SearchProblem& problem, SearchSession& session);

/// Tells how a strategy orders the schedules that TTile lists.
enum class TtileOrder {
  metric,  ///< The metric of the TTile report (ttile_order) selects and sorts the schedules.
  model,   ///< All schedules are sorted by our predicted times.
};

/// Lists the schedules of all fast microkernels as TTile does (ttile.h), and measures the first 200
/// in `order` that are valid in some layout.
void ttile_search(const SearchProblem& problem, SearchSession& session, TtileOrder order);

}  // namespace tileplan
