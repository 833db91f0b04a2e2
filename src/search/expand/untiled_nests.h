// SPDX-License-Identifier: Apache-2.0
// Nests that the search by bands does not keep, because its model knows neither partial sums that
// stay in registers, nor straight lines in memory, nor what is prefetched.
#pragma once

#include <vector>

#include "expand_schedules.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// `schedule` with its reduction loops directly above the register tile, in the order found and
/// merged: the accumulators then never leave the registers. The band model splits reductions to
/// keep tiles in L1; whether that pays, the flat model says.
std::vector<Schedule> sink_reductions(const Computation& computation, const Schedule& schedule);

/// Nests without cache tiles: every dim in one loop, reductions innermost, the vectorised dim in
/// each place among the rows of the output. They read and write memory in long straight lines,
/// which the levels of the model give no credit for. The vectorised dim is outermost in the first.
/// `like`: for the register tile and the marks.
std::vector<Schedule> untiled(const SearchContext& context, const Schedule& like);

/// `whole`, the first nest of `untiled`, its innermost reduction loop split so that the weights of
/// one part are read from beyond the second-level cache once, whatever rows follow: around all
/// rows, and around all channels too. Each part adds to the sums of the one before, in the output.
/// None where the second-level cache holds the weights of a register tile twice.
std::vector<Schedule> split_sums(const SearchContext& context, const Schedule& whole);

}  // namespace tileplan
