// SPDX-License-Identifier: Apache-2.0
// Checks whether the tensors of a problem fit in memory before any of them is made.
#pragma once

#include <cstddef>

#include "computation.h"
#include "topology.h"

namespace tileplan {

/// Returns the least bytes that a checked run needs: operands twice, output and f64 reference.
double tensor_bytes(const Computation& computation);

/// Throws Error with both sizes when `tensor_bytes` exceeds `available`, which 0 leaves unlimited.
void require_memory(const Computation& computation, std::size_t available = available_memory());

}  // namespace tileplan
