// SPDX-License-Identifier: Apache-2.0
// These functions compile many schedules of one problem without reading the problem again, compile
// kernels whose factors vary (for gemm()), and count the bytes of code and of memory that kernels
// need.
#pragma once

#include <cstddef>
#include <optional>

#include "computation.h"
#include "tileplan/kernel.h"

namespace tileplan {

/// Compiles the best candidate of `plan`. `computation` replaces the parsing of plan.problem, which
/// takes most of the time of compile(plan). Requires: `computation` was read from plan.problem with
/// the dimensions of the schedule. Throws Error as compile() does, but does not check the problem
/// and the epilogue.
Kernel compile_read(const Plan& plan, const Computation& computation);

/// Compiles the best candidate of `plan` like compile(plan), but returns the kernel in a form that
/// runs with other factors (RunTensors::factors).
std::shared_ptr<const CompiledKernel> compile_shared(const Plan& plan);

/// Returns the bytes of machine code in the microkernels of the best candidate of `plan`. The loops
/// around them are data. Throws Error as compile() does, but does not check the problem and the
/// epilogue.
std::size_t code_bytes(const Plan& plan);

/// Holds the bytes that a kernel needs beside the tensors of its caller.
struct KernelMemory {
  std::size_t packed_weights = 0;  ///< This is 0 if the kernel takes plain weights.
  /// Each thread needs this many bytes during a run, for its boxes of packed or transformed
  /// elements.
  std::size_t thread_scratch = 0;
  /// The threads of a run share this many bytes, for copies of tensors in other layouts or types,
  /// sums before their conversion, biases that the kernel makes, and the sums of inputs that zero
  /// points of the weights need.
  std::size_t run_scratch = 0;
};

/// Returns the memory that candidate `rank` of `plan` needs on any CPU, or nothing for NEON, whose
/// kernels exist as C only. `read` is the computation of plan.problem with the dimensions of the
/// schedule. Requires that `plan` has this candidate. Throws Error when the schedule does not fit
/// the problem, and as memory_of_tree() does.
std::optional<KernelMemory> kernel_memory(const Plan& plan, std::size_t rank,
                                          const Computation& read);

}  // namespace tileplan
