// SPDX-License-Identifier: Apache-2.0
// This file compiles the loops of an operation for several instruction sets, and runs the version
// for the widest set that this CPU supports.
#pragma once

#include "step_operation.h"

/// Marks functions and lambdas that are compiled once for each instruction set, because they are
/// inlined into a function for this set.
#define TILEPLAN_VECTORISED __attribute__((always_inline))

namespace tileplan {

#if defined(__x86_64__)
template <class Body>
[[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,fma")]] void call_avx512(
    const Body& body, const StepTensors& tensors) {
  body(tensors);
}

template <class Body>
[[gnu::target("avx2,fma")]] void call_avx2(const Body& body, const StepTensors& tensors) {
  body(tensors);
}

/// Returns an operation that calls `body`, compiled for the instruction set of this CPU. The loops
/// of `body` must be in functions with the attribute TILEPLAN_VECTORISED.
template <class Body>
Operation vectorised(const Body& body) {
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return [body](const StepTensors& tensors) { call_avx512(body, tensors); };
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return [body](const StepTensors& tensors) { call_avx2(body, tensors); };
  return [body](const StepTensors& tensors) { body(tensors); };
}
#else
template <class Body>
Operation vectorised(const Body& body) {
  return [body](const StepTensors& tensors) { body(tensors); };
}
#endif

}  // namespace tileplan
