// SPDX-License-Identifier: Apache-2.0
// States which data is in the caches when a measured kernel begins.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

using Bytes = std::span<const std::byte>;

/// Returns the memory of a kernel that `regime` keeps out of the caches: none, its `weights`, or
/// the `others` too.
std::vector<Bytes> cold_in(Regime regime, Bytes weights, std::vector<Bytes> others);

/// Returns a function that evicts the lines of `cold` from every cache of every core; an empty one
/// when nothing is cold.
std::function<void()> flusher(std::vector<Bytes> cold);

/// Returns "hot caches", "cold weights" or "all caches cold", for tables.
const char* in_words(Regime regime);

}  // namespace tileplan
