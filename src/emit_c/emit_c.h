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

/// Returns `schedule` without marks that C has no form for: `nt`, and `ahead` over an input that
/// assembled kernels transpose. Throws Error as `resolve` does.
Schedule as_emitted(const Computation& computation, Schedule schedule, Target target);

/// Returns C11 with vector extensions that needs only the C library. NAME_pack orders plain weights
/// as NAME_run(input, packed, output) reads them; its results equal those of the assembled kernel
/// bit for bit. P loops are OpenMP loops. Throws Error with the rule when the schedule does not fit
/// the computation or the target, or has no form in C.
std::string emit_c(const Computation& computation, const Schedule& schedule, const EmitSpec& spec);

/// Returns the header, in C or C++, for callers of `emitted`, which emit_c returned.
std::string emit_c_header(const std::string& emitted);

}  // namespace tileplan
