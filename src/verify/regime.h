// SPDX-License-Identifier: Apache-2.0
// The caches as a measured kernel finds them.
#pragma once

#include <cstddef>

#include "tileplan/plan.h"

namespace tileplan {

/// Writes back and drops the cache lines of `bytes` bytes from `begin`, in every level and on every
/// core.
void flush_from_caches(const void* begin, std::size_t bytes);

/// "hot caches", "cold weights", "all caches cold": for tables.
const char* in_words(Regime regime);

}  // namespace tileplan
