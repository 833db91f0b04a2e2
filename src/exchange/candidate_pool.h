// SPDX-License-Identifier: Apache-2.0
// Makes the pool that candidate lists are chosen from: the plan's schedules and many near them.
#pragma once

#include <functional>
#include <set>

#include "expand_schedules.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Holds whole bytes at every cache level, innermost first.
using Volumes = std::vector<std::int64_t>;
Volumes volumes_of(const Candidate& candidate);

/// Returns the specifiers that size the register tile: "U(14,w) U(2,k) V(k)".
std::string microkernel_of(const Schedule& schedule);

Layouts layouts_of(const Schedule& schedule);

/// Returns the layouts whose fastest candidate is at most 6 % slower than the fastest of all.
std::set<Layouts> competitive_layouts(const std::vector<Candidate>& candidates);

/// Returns why a schedule of a computation is of no use, or nothing. An empty function accepts all.
using Refusal = std::function<std::optional<std::string>(const Computation&, const Schedule&)>;

/// Returns, best first, the schedules of `plan`, the best ones of slower microkernels, and
/// schedules one move away (neighbours.h) in all competitive layouts. The pool grows until each of
/// these has on average `per_layout` schedules that differ in what they move. Schedules that
/// `refusal` names are left out. Requires that the plan's machine has the cores that its schedules
/// use.
std::vector<Candidate> candidate_pool(const Plan& plan, const Computation& computation,
                                      std::size_t per_layout, const Refusal& refusal = {});

}  // namespace tileplan
