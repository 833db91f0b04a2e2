// SPDX-License-Identifier: Apache-2.0
// This file expands the results of the exact search into schedules in every layout and predicts
// them. It also counts the reasons why other schedules were rejected.
#pragma once

#include <vector>

#include "candidates.h"
#include "contexts.h"
#include "exact.h"
#include "layouts.h"

namespace tileplan {

/// Adds `schedule` in each of `layouts` that kernels can read (layout_feasibility.h), with the
/// prefetches that the model chooses. The layouts and `ahead` of `schedule` are ignored, and so is
/// `prefetch` unless weights are read in place. A mark `nt` of `schedule` is kept in every layout,
/// even where outputs are not aligned. Where loops cut the blocks of a layout, they are split
/// (block_splits.h); if that is impossible, the reason is counted. Variants with streamed outputs
/// (streaming.h) and without prefetches (prefetches.h) are added when they may be faster.
/// Prediction::bound_bytes stays 0. Throws Error as `predict` does.
void append_layouts(Candidates& candidates, const CostContext& costs, Schedule schedule,
                    const std::vector<Layouts>& layouts);

/// Adds every schedule of `found` in every layout that layouts_of() lists for its vectors
/// (layouts.h), with its parallel forms (parallel.h) and, for plain weights, with the weights read
/// in place and in all packings (packing.h). Also adds the best one with the input packed, the
/// first few with all reductions innermost, and the nests of expand_untiled_nests(). If `found` is
/// empty, nothing is added, and the microkernel counts as rejected if `candidates` has any. Throws
/// Error as `layouts_of` and `predict` do.
void expand_schedules(Candidates& candidates, const SearchContext& context,
                      const ExactResult& found);

/// Adds only those schedules of `found` whose cache tiles are split unevenly, as they are and with
/// all reductions innermost.
void expand_uneven_schedules(Candidates& candidates, const SearchContext& context,
                             const ExactResult& found);

/// Adds the nests without cache tiles and the nests with split sums (untiled_nests.h), in the
/// layouts of expand_schedules.
void expand_untiled_nests(Candidates& candidates, const SearchContext& context);

/// Returns the seconds in which the first untiled nest loads input lines again, because the pixels
/// of its register tile fall into too few sets of the L1 cache and evict one another
/// (models/README.md, eq. (A)). The input has the first layout that kernels may have. The result is
/// 0 without caches.
double conflict_seconds(const SearchContext& context);

/// Returns the seconds that the first untiled nest spends on one core between microkernel calls,
/// between runs of reduction steps at a constant stride, and on input lines that overflow the sets
/// of the innermost cache. The input has a layout as in conflict_seconds().
double seconds_besides_calls(const SearchContext& context);

}  // namespace tileplan
