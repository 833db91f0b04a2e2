// SPDX-License-Identifier: Apache-2.0
// The caches as a measured kernel finds them.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

using Bytes = std::span<const std::byte>;

/// What `regime` has cold of the memory of a kernel: nothing, its `weights`, or the `others` too.
std::vector<Bytes> cold_in(Regime regime, Bytes weights, std::vector<Bytes> others);

/// Writes back and drops the cache lines of `cold`, in every level and on every core, when it is
/// called. Empty when nothing is cold.
std::function<void()> flusher(std::vector<Bytes> cold);

/// "hot caches", "cold weights", "all caches cold": for tables.
const char* in_words(Regime regime);

}  // namespace tileplan
