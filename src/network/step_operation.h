// SPDX-License-Identifier: Apache-2.0
// This file declares the function that computes one step of a run.
#pragma once

#include <cstdint>
#include <functional>

#include "task_range.h"

namespace tileplan {

/// Points to the first element of each input and output of a step. The pointers of omitted tensors
/// are null, and so are those of constants that are not copied for the run. If several threads
/// share an operation, each call computes part `part` of `parts` nearly equal ones.
struct StepTensors {
  const float* const* in = nullptr;
  float* const* out = nullptr;
  int part = 0, parts = 1;

  /// Returns the part of `all` items that this call computes.
  TaskRange share(std::int64_t all) const { return task_share(all, part, parts); }
};

/// Computes one step. Several threads may call an operation at once. A call allocates no memory,
/// except for the scratch memory of a kernel in its first runs.
using Operation = std::function<void(const StepTensors& tensors)>;

}  // namespace tileplan
