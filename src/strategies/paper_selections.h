// SPDX-License-Identifier: Apache-2.0
// These strategies compute a list of schedules as another paper does, sort it by the paper's model
// or by our own, and measure the schedules in this order.
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

/// Lists schedules as TTile does (ttile.h), for all microkernels that reach 85 % of the speed of
/// the fastest one, and measures the first 200 in `order` that are valid in some layout.
void ttile_search(const SearchProblem& problem, SearchSession& session, TtileOrder order);

}  // namespace tileplan
