// SPDX-License-Identifier: Apache-2.0
// Tells which class of loop orders moves the data of a nest into one cache.
#pragma once

#include <string>

#include "nest.h"
#include "orders.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the name of the class that the loops outside the cut of `cache` (flat.h) belong to;
/// "none" when every class moves less, "-" when the cache holds everything.
std::string order_class_at(const Computation& computation, const Nest& nest,
                           const CacheLevel& cache);

}  // namespace tileplan
