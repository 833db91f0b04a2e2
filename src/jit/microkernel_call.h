// SPDX-License-Identifier: Apache-2.0
// This file declares a microkernel call: its code, and its reduction runs for every position of the
// padding. TreeSpec holds the options of loop trees and of their calls.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "loop_program.h"
#include "microkernel.h"
#include "reduction_runs.h"
#include "winograd_convolution.h"

namespace tileplan {

struct TreeSpec {
  Isa isa = Isa::avx512;
  ProductCode product = {};
  LoweringSpec lowering;  ///< build_tree() replaces `lanes` and `target`.
  int prefetch = 0;       ///< This is the value of Schedule::prefetch.
  Epilogue epilogue = {};
  /// If set, the nest computes the products of this convolution, and `lowering` holds the layouts
  /// of the tensors that its transforms read and write.
  std::optional<WinogradConvolution> winograd = {};
  /// If true, each product of a batch has its own bias. Otherwise all products share one.
  bool bias_per_batch = false;
  /// If set, microkernel calls convert finished sums.
  std::optional<ConvertedOutput> converted = {};
};

/// Returns the options of `schedule` for compile(). Throws Error when a layout does not exist.
TreeSpec tree_spec(const Computation& computation, const Schedule& schedule, const Nest& nest,
                   Isa isa, const Epilogue& epilogue = {});

struct RunList {
  const ReductionRun* runs = nullptr;
  std::int64_t count = 0;
};

/// Holds one microkernel with its reduction runs for each pattern of pixels inside the tensor.
/// `lists` holds pointers into `runs`, because indices would cost one more load. The pointers stay
/// valid when the object is moved.
struct MicrokernelCall {
  std::unique_ptr<const Microkernel> kernel;
  KernelFunction function = nullptr;  ///< This is the entry point of `kernel`.
  std::int64_t row_bytes = 0;  ///< Each reduction step has this many bytes of packed weights.
  std::int64_t length = 0;  ///< A tile covers this many iterations of the dimension of the vectors.
  std::int64_t steps = 0;   ///< A call makes this many reduction steps per tile.
  std::vector<GuardTable> guards;
  /// Lists the runs of each combination of patterns. The index is the sum of pattern *
  /// GuardTable::lists over `guards`.
  std::vector<RunList> lists;
  std::vector<ReductionRun> runs;
};

/// Returns the call for a register tile of `base`. Throws Error when no microkernel can compute the
/// tile, when the tile or a prefetch of weights reaches too far for the displacements of
/// instructions, and as the constructor of Microkernel does.
MicrokernelCall make_microkernel_call(const Computation& computation, const LoopProgram& program,
                                      const TreeSpec& spec, const Tile& base);

}  // namespace tileplan
