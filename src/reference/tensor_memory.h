// SPDX-License-Identifier: Apache-2.0
// This file checks that the tensors of a problem fit in memory before they are allocated.
#pragma once

#include <cstddef>

#include "computation.h"
#include "topology.h"

namespace tileplan {

/// Returns the bytes that a checked run needs at least: operands twice, output and f64 reference.
double tensor_bytes(const Computation& computation);

/// Throws Error with both sizes when tensor_bytes() exceeds `available`. With 0, there is no limit.
void require_memory(const Computation& computation, std::size_t available = available_memory());

}  // namespace tileplan
