// SPDX-License-Identifier: Apache-2.0
// This file makes nests that the band model does not keep, because it knows neither partial sums
// that stay in registers, nor long reads in memory, nor prefetches.
#pragma once

#include <vector>

#include "contexts.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `schedule` with its reduction loops directly above the register tile, as they are and
/// merged. The accumulators then never leave the registers. The band model splits reductions to
/// keep tiles in L1; the flat model says whether that pays.
std::vector<Schedule> sink_reductions(const Computation& computation, const Schedule& schedule);

/// Returns nests without cache tiles: every dim has one loop, reductions are innermost, and the
/// vectorised dim takes each place among the rows of the output (outermost in the first). They read
/// and write long contiguous ranges.
std::vector<Schedule> untiled_nests(const SearchContext& context);

/// Returns `whole`, the first nest of `untiled_nests`, with its innermost reduction loop split so
/// that the weights of one part enter the second-level cache once: around all rows, and around all
/// channels too. Each part adds to the sums of the part before, in the output. The list is empty
/// where the second-level cache holds the weights of a register tile twice.
std::vector<Schedule> split_sums(const SearchContext& context, const Schedule& whole);

}  // namespace tileplan
