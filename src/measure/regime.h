// SPDX-License-Identifier: Apache-2.0
// Determines which data is in the caches when a measured kernel begins.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

using Bytes = std::span<const std::byte>;

/// Returns the memory that `regime` keeps out of the caches: nothing, `weights`, or both arguments.
std::vector<Bytes> cold_in(Regime regime, Bytes weights, std::vector<Bytes> others);

/// Returns a function that evicts `cold` from all caches of all cores, or an empty function for
/// none.
std::function<void()> flusher(std::vector<Bytes> cold);

}  // namespace tileplan
