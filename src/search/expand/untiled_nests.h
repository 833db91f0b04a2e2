// SPDX-License-Identifier: Apache-2.0
// This file makes nests that the per-level model does not keep, because it models neither long
// contiguous reads nor prefetches.
#pragma once

#include <vector>

#include "contexts.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns copies of `schedule` with all reduction loops directly around the register tile, so that
/// sums stay in registers. One copy keeps the reduction loops as they are, and the other has one
/// loop per reduction dimension.
std::vector<Schedule> sink_reductions(const Computation& computation, const Schedule& schedule);

/// Returns nests without cache tiles. Every dimension has at most one loop (and a list of blocks
/// where the kernel has two sizes), and reductions are innermost. The nests differ in the position
/// of the loop over the vectorised dimension among the rows, which are the loops over the output
/// dimensions that are neither batches nor vectorised; in the first nest, only batches are outside
/// this loop. Such nests read and write long contiguous ranges. If there are batches and rows, each
/// nest also comes with the batches inside the rows, where calls are dispatched less often.
std::vector<Schedule> untiled_nests(const SearchContext& context);

/// Returns the first of untiled_nests() without making the others.
Schedule first_untiled_nest(const SearchContext& context);

/// Returns copies of `whole`, the first of `untiled_nests`, with its innermost reduction loop split
/// so that the weights of one part are loaded once into the innermost or into the second-level
/// cache. The outer part is around the rows, or around the loops over the vectorised dimension too.
/// Each part adds to the sums in the output. The list is empty when the innermost cache has room
/// for twice the weights of a register tile, when no part is small enough for a cache, or when
/// there is no cache or no reduction loop.
std::vector<Schedule> split_sums(const SearchContext& context, const Schedule& whole);

}  // namespace tileplan
