// SPDX-License-Identifier: Apache-2.0
// What the list for other tuners is chosen from: the plan's schedules and many near them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "computation.h"
#include "expand_schedules.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Whole bytes at every cache level, innermost first.
using Volumes = std::vector<std::int64_t>;
Volumes volumes_of(const Candidate& candidate);

/// The specifiers that size the register tile: "U(14,w) U(2,k) V(k)".
std::string microkernel_of(const Schedule& schedule);

Layouts layouts_of(const Schedule& schedule);

/// The layouts whose fastest candidate is predicted to be at most 6 % slower than the fastest of
/// all. Requires: a candidate.
std::set<Layouts> competitive_layouts(const std::vector<Candidate>& candidates);

/// Why a schedule of a computation is of no use, if it is; empty: all are of use.
using Refusal = std::function<std::optional<std::string>(const Computation&, const Schedule&)>;

/// All schedules of `plan`, the best of each microkernel that it left out as slower, and schedules
/// one move away (neighbours.h) from the plan's, of each microkernel in turn, in all of the
/// competitive layouts that hold them, with the prefetches that a plan gives them; vectors of
/// pixels with the input packed where that is faster or must be. Of the latter so many that every
/// competitive layout has `per_layout` that differ in what they move, on average, if there are as
/// many. Best first, without those that `refusal` names. The same input gives the same schedules.
/// `computation`: that of the plan's schedules. Requires: the plan's machine has the cores that its
/// schedules use.
std::vector<Candidate> candidate_pool(const Plan& plan, const Computation& computation,
                                      std::size_t per_layout, const Refusal& refusal = {});

}  // namespace tileplan
