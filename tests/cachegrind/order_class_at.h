// SPDX-License-Identifier: Apache-2.0
// This file determines which class of loop orders explains the data that a nest loads into one
// cache.
#pragma once

#include <string>

#include "nest.h"
#include "orders.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Returns the name of the order class of the loops outside the cut, which is the largest tile that
/// `cache` holds (flat.h) if all elements have four bytes. Returns "none" when no class reuses the
/// tensors as these loops do, and "-" when no loop with several trips or a list of blocks (lambda)
/// is outside the cut.
std::string order_class_at(const Computation& computation, const Nest& nest,
                           const CacheLevel& cache);

}  // namespace tileplan
