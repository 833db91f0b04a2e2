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
  LoweringSpec lowering;  ///< build_tree() sets `lanes` and `target`.
  int prefetch = 0;       ///< Schedule::prefetch has this value.
  Epilogue epilogue = {};
  /// The nest computes the products of this convolution, and the layouts in `lowering` are its own.
  std::optional<WinogradConvolution> winograd = {};
  /// If true, the bias has values for each product of a batch, not one row for all of them.
  bool bias_per_batch = false;
  std::optional<ConvertedOutput> converted = {};  ///< Calls convert finished sums.
};

/// Returns the options of `schedule` for compile(). Throws Error when a layout does not exist.
TreeSpec tree_spec(const Computation& computation, const Schedule& schedule, const Nest& nest,
                   Isa isa, const Epilogue& epilogue = {});

struct RunList {
  const ReductionRun* runs = nullptr;
  std::int64_t count = 0;
};

/// Holds one microkernel with its runs for each pattern of pixels inside the tensor. `lists` hold
/// pointers into `runs`, because indices would cost one more load; moves keep the pointers valid.
struct MicrokernelCall {
  std::unique_ptr<const Microkernel> kernel;
  KernelFunction function = nullptr;  ///< This is the entry point of `kernel`.
  std::int64_t row_bytes = 0;  ///< Each reduction step has this many bytes of packed weights.
  std::int64_t length = 0;     ///< A call covers this many iterations of the vectorised dim.
  std::int64_t steps = 0;      ///< A call makes this many reduction steps.
  std::vector<GuardTable> guards;
  /// The index is the sum of pattern * GuardTable::lists over `guards`.
  std::vector<RunList> lists;
  std::vector<ReductionRun> runs;
};

/// Returns the call for a register tile of `base`. Throws Error when the tile has no microkernel.
MicrokernelCall make_microkernel_call(const Computation& computation, const LoopProgram& program,
                                      const TreeSpec& spec, const Tile& base);

}  // namespace tileplan
