// SPDX-License-Identifier: Apache-2.0
// A microkernel call has assembled code, and reduction runs for every position where calls begin.
// TreeSpec holds the options of loop trees and of their calls.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "loop_program.h"
#include "microkernel.h"
#include "reduction_runs.h"

namespace tileplan {

struct TreeSpec {
  Isa isa = Isa::avx512;
  LoweringSpec lowering;  ///< `build_tree` sets `lanes` and `target`.
  int prefetch = 0;       ///< Schedule::prefetch has this value.
  Epilogue epilogue = {};
};

/// Returns what `compile` builds for `schedule`. Throws Error when a layout does not exist.
TreeSpec tree_spec(const Computation& computation, const Schedule& schedule, const Nest& nest,
                   Isa isa, const Epilogue& epilogue = {});

struct RunList {
  const ReductionRun* runs = nullptr;
  std::int64_t count = 0;
};

/// Holds one microkernel with its runs for every pattern of valid pixels. The lists point into
/// `runs`, because indices would cost one more load. Moves keep the pointers valid.
struct MicrokernelCall {
  std::unique_ptr<const Microkernel> kernel;
  KernelFunction function = nullptr;  ///< This function belongs to `kernel`.
  std::int64_t row_bytes = 0;  ///< Each reduction step has this many bytes of packed weights.
  std::int64_t length = 0;     ///< A call covers this many iterations of the vectorised dim.
  std::int64_t steps = 0;      ///< A call makes this many reduction steps.
  std::vector<GuardTable> guards;
  std::vector<RunList> lists;  ///< The index is the sum over guards of pattern * guard.lists.
  std::vector<ReductionRun> runs;
};

/// Returns the call for a register tile of `base`. Throws Error when no microkernel can compute it.
MicrokernelCall make_microkernel_call(const Computation& computation, const LoopProgram& program,
                                      const TreeSpec& spec, const Tile& base);

}  // namespace tileplan
