// SPDX-License-Identifier: Apache-2.0
// Prints the loop program that src/jit assembles as readable C.
#pragma once

#include <string>

#include "computation.h"
#include "target.h"
#include "tileplan/epilogue.h"

namespace tileplan {

struct EmitSpec {
  Target target = Target::scalar;
  std::string name = "tileplan";  ///< The names of the functions begin with this C identifier.
  Epilogue epilogue = {};  ///< NAME_run(input, packed, [bias,] [residual,] output) applies it.
};

/// Returns `schedule` without marks that C cannot express: `nt`, and `ahead` if it prefetches an
/// input that assembled kernels transpose. Throws Error as `resolve` does.
Schedule as_emitted(const Computation& computation, Schedule schedule, Target target);

/// Returns C11 with vector extensions that needs only the C library. NAME_pack orders plain weights
/// as NAME_run reads them, whose results equal those of the assembled kernel bit for bit. P loops
/// are OpenMP loops. Throws Error with the rule when the schedule does not fit the computation or
/// the target, or has no form in C.
std::string emit_c(const Computation& computation, const Schedule& schedule, const EmitSpec& spec);

/// Returns the header, in C or C++, for callers of `emitted`, which emit_c returned.
std::string emit_c_header(const std::string& emitted);

}  // namespace tileplan
