// SPDX-License-Identifier: Apache-2.0
// A microkernel call has assembled code and the reduction runs of every place where it begins.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "microkernel.h"
#include "reduction_runs.h"
#include "tree_spec.h"

namespace tileplan {

/// The runs of one call.
struct RunList {
  const ReductionRun* runs = nullptr;
  std::int64_t count = 0;
};

/// One microkernel with the runs of every validity pattern. Lists point into `runs`, since between
/// two calls there is time for one load only; moving keeps the runs where they are.
struct MicrokernelCall {
  std::unique_ptr<const Microkernel> kernel;
  KernelFunction function = nullptr;  ///< of `kernel`
  std::int64_t row_bytes = 0;         ///< packed weights of one reduction step
  std::int64_t length = 0;            ///< iterations of the vectorised dim
  std::int64_t steps = 0;             ///< reduction steps
  std::vector<GuardTable> guards;
  std::vector<RunList> lists;      ///< index: sum over guards of pattern * guard.lists
  std::vector<ReductionRun> runs;  ///< of all lists
};

/// The inputs that all calls of one tree share.
struct CallContext {
  const Computation& computation;
  const LoopProgram& program;
  const TreeSpec& spec;
};

/// Most reduction steps that weights are prefetched ahead: displacements have 32 bits.
constexpr int kFarthestPrefetch = 1024;

/// Returns the call for a register tile of `base`. Throws Error when no microkernel has this form.
MicrokernelCall make_microkernel_call(const CallContext& context, const Tile& base);

}  // namespace tileplan
