// SPDX-License-Identifier: Apache-2.0
// This file declares the function that computes one step of a run.
#pragma once

#include <cstdint>
#include <functional>

#include "task_range.h"

namespace tileplan {

/// Points to the first element of each input and output of a step. The pointers of omitted tensors
/// are null. Operations that several threads share compute one of several equal parts.
struct StepTensors {
  const float* const* in = nullptr;
  float* const* out = nullptr;
  int part = 0, parts = 1;

  /// Returns the part of `all` items that this call computes.
  TaskRange share(std::int64_t all) const { return task_share(all, part, parts); }
};

/// Computes one step. Several threads may call an operation at once. A call allocates no memory.
using Operation = std::function<void(const StepTensors& tensors)>;

}  // namespace tileplan
