// SPDX-License-Identifier: Apache-2.0
// Prints the loop program that src/jit assembles as readable C, for compilers.
#pragma once

#include <string>

#include "computation.h"
#include "target.h"
#include "tileplan/epilogue.h"

namespace tileplan {

struct EmitSpec {
  Target target = Target::scalar;
  /// Prefix of the functions' names, a C identifier.
  std::string name = "tileplan";
  /// NAME_run(input, packed, [bias,] [residual,] output) takes what it adds.
  Epilogue epilogue = {};
};

/// Returns `schedule` without the marks that C has no form for: `nt`, because streaming stores need
/// aligned outputs, and `ahead` over an input that assembled kernels read from a transposed copy.
/// Throws Error as `resolve` does.
Schedule as_emitted(const Computation& computation, Schedule schedule, Target target);

/// Returns C11 (with the vector extensions of GCC and Clang, unless scalar) that needs nothing but
/// the C library. NAME_pack brings plain weights into the order in which NAME_run reads them.
/// NAME_run(input, packed, output) is the loop nest of `schedule` on tensors as in Kernel::run. On
/// one instruction set its results equal those of the assembled kernel bit for bit. P loops are
/// OpenMP loops when compiled with OpenMP. The schedule in the first comment is as_emitted. Throws
/// Error with the rule when the schedule does not fit the computation, the target or its vectors,
/// or has no form in C.
std::string emit_c(const Computation& computation, const Schedule& schedule, const EmitSpec& spec);

/// Returns the header for callers of `emitted`, which emit_c returned, in C or C++. It has the same
/// declarations and the number of elements of every argument.
std::string emit_c_header(const std::string& emitted);

}  // namespace tileplan
