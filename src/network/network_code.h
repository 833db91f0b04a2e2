// SPDX-License-Identifier: Apache-2.0
// This file holds a compiled network: one operation per step, and the constants that operations
// read.
#pragma once

#include "buffers.h"
#include "fast_operators.h"
#include "tileplan/network_run.h"

namespace tileplan {

/// Holds the packed weights of each step; steps without a kernel and constant weights have none.
using StepWeights = std::vector<std::shared_ptr<const Packed>>;

struct NetworkCode {
  NetworkPlan plan = {};
  StepWeights weights = {};
  std::vector<Operation> operations = {};  ///< An operation is empty when its step has no work.
  std::vector<Buffer> constants = {};
  /// There is one pointer per buffer, which is null for other places than `constant`.
  std::vector<const float*> constant_places = {};
  std::size_t most_tensors = 0;  ///< No step has more inputs and outputs than this.
};

/// Returns compile() of `plan`, whose weights are those in `weights` if these are not empty.
CompiledNetwork compile_with(const NetworkPlan& plan, StepWeights weights);

/// Returns the bytes of the arena, which begins a workspace. Pointers to the tensors of a step
/// follow.
std::size_t arena_bytes(const NetworkCode& code);

/// Returns the number of multiply-adds, or of other terms, in one output of a node.
double reduction_length(const NodeView& node);

}  // namespace tileplan
