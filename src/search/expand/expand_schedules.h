// SPDX-License-Identifier: Apache-2.0
// This file expands the results of the exact search into schedules in every layout, which the flat
// model scores. It also counts the reasons why other schedules were rejected.
#pragma once

#include <vector>

#include "candidates.h"
#include "contexts.h"
#include "exact.h"
#include "layouts.h"

namespace tileplan {

/// Adds `schedule` in each of `layouts` in which kernels can read it (layout_feasibility.h), with
/// the prefetches that the model chooses. A variant with streamed outputs follows where it may be
/// faster (streaming.h), and a variant without prefetches where the model cannot tell
/// (prefetches.h). The layouts and prefetches of `schedule` itself are ignored.
/// Prediction::bound_bytes stays 0. Throws Error as `predict` does.
void append_layouts(Candidates& candidates, const CostContext& costs, Schedule schedule,
                    const std::vector<Layouts>& layouts);

/// Adds every schedule of `found` in every layout that the options allow and that supports its
/// vectors (layouts.h). Throws Error as `layouts_of` and `predict` do.
void expand_schedules(Candidates& candidates, const SearchContext& context,
                      const ExactResult& found);

/// Adds only the schedules of `found` whose cache tiles are split unevenly.
void expand_uneven_schedules(Candidates& candidates, const SearchContext& context,
                             const ExactResult& found);

/// Adds the nests without cache tiles in the same layouts.
void expand_untiled_nests(Candidates& candidates, const SearchContext& context);

/// Returns the seconds that the first untiled nest spends between runs and calls on one core.
double seconds_between_calls(const SearchContext& context);

}  // namespace tileplan
