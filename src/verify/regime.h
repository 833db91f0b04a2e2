// SPDX-License-Identifier: Apache-2.0
// The caches as a measured kernel finds them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

using Bytes = std::span<const std::byte>;

/// What `regime` has cold of the memory of a kernel: nothing, its `weights`, or the `others` too.
std::vector<Bytes> cold_in(Regime regime, Bytes weights, std::vector<Bytes> others);

/// Writes back and drops the cache lines of `each`, in every level and on every core.
void flush_from_caches(const std::vector<Bytes>& each);

/// "hot caches", "cold weights", "all caches cold": for tables.
const char* in_words(Regime regime);

}  // namespace tileplan
