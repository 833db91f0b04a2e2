// SPDX-License-Identifier: Apache-2.0
// This file declares the function that computes one step of a run.
#pragma once

#include <cstdint>
#include <functional>

namespace tileplan {

/// Points to the first element of each input and output of a step. The pointers of omitted tensors
/// are null. Operations that several threads share compute one of several equal parts.
struct StepTensors {
  const float* const* in = nullptr;
  float* const* out = nullptr;
  int part = 0, parts = 1;

  /// Returns the first of `all` items that part `at` computes.
  std::int64_t first_of(std::int64_t all, int at) const { return all * at / parts; }
  std::int64_t first_of(std::int64_t all) const { return first_of(all, part); }
  std::int64_t last_of(std::int64_t all) const { return first_of(all, part + 1); }
};

/// Computes one step. Several threads may call an operation at once. A call allocates no memory.
using Operation = std::function<void(const StepTensors& tensors)>;

}  // namespace tileplan
