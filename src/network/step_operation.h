// SPDX-License-Identifier: Apache-2.0
// This file declares the function that computes one step of a run.
#pragma once

#include <functional>

namespace tileplan {

/// Holds the first numbers of each input and output of a step; omitted tensors are null.
struct StepTensors {
  const float* const* in = nullptr;
  float* const* out = nullptr;
};

/// Computes one step. Several threads may call it at once. It allocates nothing.
using Operation = std::function<void(const StepTensors& tensors)>;

}  // namespace tileplan
