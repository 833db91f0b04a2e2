// SPDX-License-Identifier: Apache-2.0
// Determines which class of loop orders causes the data movement of a nest into one cache.
#pragma once

#include <string>

#include "nest.h"
#include "orders.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the name of the class of the loops outside the cut of `cache` (flat.h). Returns "none"
/// when every class moves less data, and "-" when the cache holds all data.
std::string order_class_at(const Computation& computation, const Nest& nest,
                           const CacheLevel& cache);

}  // namespace tileplan
