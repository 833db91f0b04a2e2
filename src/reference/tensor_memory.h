// SPDX-License-Identifier: Apache-2.0
// Whether the tensors of a problem fit in memory, asked before any is made.
#pragma once

#include <cstddef>

#include "computation.h"
#include "memory.h"

namespace tileplan {

/// Bytes that one checked execution needs at least: each operand as the caller has it and as the
/// kernel reads it, the output, and the reference in f64. What layouts, epilogues and peers add is
/// not counted.
double tensor_bytes(const Computation& computation);

/// Throws Error with both sizes when `tensor_bytes` exceeds `available` bytes; 0: not known, never.
void require_memory(const Computation& computation, std::size_t available = available_memory());

}  // namespace tileplan
