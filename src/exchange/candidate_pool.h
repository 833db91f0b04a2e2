// SPDX-License-Identifier: Apache-2.0
// Makes the pool that candidate lists are chosen from: the plan's schedules and many near them.
#pragma once

#include <functional>
#include <set>

#include "expand_schedules.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Holds the whole bytes that each cache level loads and stores, innermost first.
using Volumes = std::vector<std::int64_t>;
Volumes volumes_of(const Candidate& candidate);

/// Returns the specifiers that size the register tile: "U(14,w) U(2,k) V(k)".
std::string microkernel_of(const Schedule& schedule);

Layouts layouts_of(const Schedule& schedule);

/// Returns the layouts whose fastest candidate is predicted to be at most 6 % slower than the
/// fastest of all. Requires a candidate.
std::set<Layouts> competitive_layouts(const std::vector<Candidate>& candidates);

/// Returns why a schedule of a computation is of no use, or nothing. An empty function accepts all.
using Refusal = std::function<std::optional<std::string>(const Computation&, const Schedule&)>;

/// Returns, best first, the schedules of `plan`, the best ones of slower microkernels, and
/// neighbours (neighbours.h) in all competitive layouts, with the prefetches that a plan would add.
/// The pool grows until these layouts have on average `per_layout` schedules that load different
/// numbers of bytes, or no more exist. Schedules that `refusal` names are left out. Requires that
/// `computation` is that of the plan's schedules, and its machine has the cores that they use.
std::vector<Candidate> candidate_pool(const Plan& plan, const Computation& computation,
                                      std::size_t per_layout, const Refusal& refusal = {});

}  // namespace tileplan
