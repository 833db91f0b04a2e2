// SPDX-License-Identifier: Apache-2.0
// This file prints lines about the stages of planning and measuring that the environment variable
// TILEPLAN_TRACE lists.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "search.h"

namespace tileplan {

/// Prints counts and seconds: trace_stage("orders", {{"classes", 8}}) prints "orders  classes=8".
void trace_stage(std::string_view stage,
                 std::initializer_list<std::pair<std::string_view, double>> fields);

/// Prints the results up to the end of `step`, e.g. "search  step=uneven_tiles isa=avx512
/// combos=37 nodes=812 candidates=310 rejected=12 best_seconds=1.23400e-05".
void trace_search(std::string_view step, const SearchSpace& space, const SearchResults& found);

}  // namespace tileplan
