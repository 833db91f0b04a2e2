// SPDX-License-Identifier: Apache-2.0
// Checks whether the tensors of a problem fit in memory before any of them is made.
#pragma once

#include <cstddef>

#include "computation.h"
#include "topology.h"

namespace tileplan {

/// Returns the least bytes of a checked execution: operands twice, the output and an f64 reference.
double tensor_bytes(const Computation& computation);

/// Throws Error with both sizes when `tensor_bytes` exceeds `available` bytes, unless `available`
/// is 0.
void require_memory(const Computation& computation, std::size_t available = available_memory());

}  // namespace tileplan
