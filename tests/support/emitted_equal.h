// SPDX-License-Identifier: Apache-2.0
// This file compares emitted C with the assembled kernel of the same schedule.
#pragma once

#include <doctest/doctest.h>

#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "emitted_code.h"

namespace tileplan::test::emitted {

template <class Number>
bool equal_bits(const void* a, const std::vector<Number>& b) {
  return std::memcmp(a, b.data(), b.size() * sizeof(Number)) == 0;
}

/// Checks that the outputs in `run`, and the packed weights if the kernel packs them, have the same
/// bits as those of the assembled kernel for `isa`.
template <class Number>
void check_kernel_equal(const Problem& problem, const Schedule& schedule, Isa isa,
                        const RunOf<Number>& run) {
  Plan plan = test::plan_for(problem, schedule, isa);
  plan.options.epilogue = run.epilogue;
  const Kernel kernel = compile(plan);
  std::optional<Packed> packed;
  if (!schedule.takes_plain_weights()) packed.emplace(kernel.pack_weights(run.weights));
  std::vector<Number> output = run.start;
  kernel.run(run.input, packed ? RunWeights(*packed) : RunWeights(run.weights), output,
             {.bias = run.bias, .residual = run.residual});
  if (packed) {
    CHECK(packed->size() == run.packed.size());
    CHECK(equal_bits(packed->data(), run.packed));
  }
  CHECK(equal_bits(output.data(), run.output));
}

inline bool host_has(Target target) {
  if (target == Target::avx2)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  if (target == Target::avx512vl) return __builtin_cpu_supports("avx512vl") != 0;
  return target != Target::avx512 || __builtin_cpu_supports("avx512f") != 0;
}

}  // namespace tileplan::test::emitted
