// SPDX-License-Identifier: Apache-2.0
// emit_c() writes a schedule as C that compiles without tileplan.
#pragma once

#include <string>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// The vectors that emitted C uses. `avx512vl` means 256-bit vectors with the 32 registers of
/// AVX-512.
enum class Target { scalar, avx2, avx512, avx512vl, neon };

/// Returns the target that `text` names. Throws Error with the known names.
Target parse_target(const std::string& text);
std::string to_string(Target target);

struct EmitOptions {
  Target target = Target::scalar;
  std::string name = "tileplan";  ///< prefix of the functions, a C identifier
  Epilogue epilogue = {};         ///< fused into NAME_run, which takes what it adds
};

struct EmittedC {
  std::string source = {};              ///< a .c file
  std::string header = {};              ///< a .h file for callers in C or C++
  Schedule schedule = {};               ///< without the marks that C has no form for
  std::vector<std::string> notes = {};  ///< a sentence for each mark that was left out
};

/// Returns C11 with vector extensions that needs only the C library. NAME_pack orders plain weights
/// as NAME_run(input, packed, [bias,] [residual,] output) reads them. The results equal those of
/// the assembled kernel bit for bit. P loops are OpenMP loops. Throws Error with the rule when the
/// schedule does not fit the problem or the target, or when it has no form in C.
EmittedC emit_c(const Problem& problem, const Schedule& schedule, const EmitOptions& options = {});

/// Returns `machine` with the vectors of `target`, for planning code that runs elsewhere. Kernel
/// rates that were measured with other vectors are dropped.
Machine machine_for(Machine machine, Target target);

}  // namespace tileplan
