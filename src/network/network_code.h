// SPDX-License-Identifier: Apache-2.0
// This file declares the code of a compiled network, and functions that make it, size its arena and
// help to check its results.
#pragma once

#include "buffers.h"
#include "fast_operators.h"
#include "tileplan/network_run.h"

namespace tileplan {

/// Holds the packed weights of each step. Steps without a kernel, quantised layers, and steps whose
/// weights are no constants have none.
using StepWeights = std::vector<std::shared_ptr<const Packed>>;

struct NetworkCode {
  NetworkPlan plan = {};
  StepWeights weights = {};
  std::vector<Operation> operations = {};  ///< The operation of a step without work is empty.
  std::vector<Buffer> constants = {};
  /// Holds a pointer for each buffer. It is null except for constants in `constants`.
  std::vector<const float*> constant_places = {};
  std::size_t most_tensors = 0;  ///< No step has more inputs and outputs together than this.
};

/// Compiles `plan` as compile() does. A step with packed weights in `weights` uses them; other
/// steps pack their weights. Throws Error as compile() does.
CompiledNetwork compile_with(const NetworkPlan& plan, StepWeights weights);

/// Returns the size of the arena in bytes, rounded up to whole cache lines. The arena is the first
/// part of a workspace. Pointers to the tensors of a step follow it.
std::size_t arena_bytes(const NetworkCode& code);

/// Returns the number of terms that one output of a node sums, or 1 if it sums none or the node is
/// a quantised layer. Returns the square of the number for GlobalAveragePool and ReduceMean. The
/// tolerance of the output grows with the square root of the result.
double reduction_length(const NodeView& node);

}  // namespace tileplan
