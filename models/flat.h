// SPDX-License-Identifier: Apache-2.0
// Volumes of any concrete nest at one cache: the flat model, lambda nodes included. model.md 3.2, 3.3.
#pragma once

#include <cstdint>

#include "capacity.h"
#include "movement.h"
#include "nest.h"

namespace tileplan {

/// Elements of each tensor that enter a cache of `capacity` elements while `nest` runs once. The cut is
/// the outermost position whose box fits (`rule`); rule (V) holds for all loops outside it.
PerTensor<std::int64_t> flat_volumes(const Computation& computation, const Nest& nest,
                                     std::int64_t capacity, CapacityRule rule);

}  // namespace tileplan
