// SPDX-License-Identifier: Apache-2.0
// This file declares the function that computes one step of a run.
#pragma once

#include <functional>

namespace tileplan {

/// Points to the first element of each input and output of a step. The pointers of omitted tensors
/// are null.
struct StepTensors {
  const float* const* in = nullptr;
  float* const* out = nullptr;
};

/// Computes one step. Several threads may call an operation at once. A call allocates no memory.
using Operation = std::function<void(const StepTensors& tensors)>;

}  // namespace tileplan
