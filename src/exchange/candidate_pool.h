// SPDX-License-Identifier: Apache-2.0
// This file makes the pool from which candidate lists are chosen: the plan's schedules, schedules
// that moves reach from them, and the best ones of other microkernels.
#pragma once

#include <functional>
#include <set>

#include "expand_schedules.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Holds the bytes that each cache level loads and stores, rounded to integers, innermost level
/// first.
using Volumes = std::vector<std::int64_t>;
Volumes volumes_of(const Candidate& candidate);

/// Returns the specifiers that determine the register tile, e.g. "U(14,w) U(2,k) V(k)".
std::string microkernel_of(const Schedule& schedule);

Layouts layouts_of(const Schedule& schedule);

/// Returns the layouts whose fastest candidate is predicted to be at most 6 % slower than the
/// fastest of all candidates. Requires: `candidates` is not empty.
std::set<Layouts> competitive_layouts(const std::vector<Candidate>& candidates);

/// Returns the reason why a schedule must be left out, or nothing. An empty function accepts all
/// schedules.
using Refusal = std::function<std::optional<std::string>(const Computation&, const Schedule&)>;

/// Returns schedules in the order of best_first(): those of `plan`, schedules that moves reach from
/// them (neighbours.h) in all competitive layouts, and the best schedules of microkernels that no
/// schedule of the plan uses. The pool grows until these layouts have on average `per_layout`
/// different Volumes, 4000 neighbours that `refusal` accepts were predicted, or no schedule is left
/// to expand. Schedules that `refusal` refuses are left out. If it refuses all, slower microkernels
/// are tried.
/// Requires: `plan` has candidates, and `computation` and plan.machine are those of the schedules.
std::vector<Candidate> candidate_pool(const Plan& plan, const Computation& computation,
                                      std::size_t per_layout, const Refusal& refusal = {});

}  // namespace tileplan
