// SPDX-License-Identifier: Apache-2.0
// emit_c() and emit_network() write schedules and networks as C that compiles without tileplan.
#pragma once

#include <string>
#include <vector>

#include "tileplan/epilogue.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

struct NetworkPlan;

/// Names the vectors that emitted C uses. `avx512vl` means 256-bit vectors with the 32 registers of
/// AVX-512.
enum class Target { scalar, avx2, avx512, avx512vl, neon };

/// Returns the target that `text` names. Throws Error with the known names for any other text.
Target parse_target(const std::string& text);
std::string to_string(Target target);

struct EmitOptions {
  Target target = Target::scalar;
  /// Begins the names of the functions and macros that callers of the emitted C use. Requires a C
  /// identifier.
  std::string name = "tileplan";
  /// NAME_run applies this epilogue, and takes the tensors that the epilogue adds as arguments.
  Epilogue epilogue = {};
  /// Tells which dot-product instructions the loops of the schedule assume: for a schedule of a
  /// plan, the `dots` of Machine::vector. For AVX-512 without them, for AVX2 and for scalar code,
  /// the emitted C widens bytes to 16 bits and bf16 to f32 instead. NEON needs no such flags.
  DotProducts dots = {.integers = true, .bf16 = true};
};

struct EmittedC {
  std::string source = {};  ///< Holds the text of a .c file.
  std::string header = {};  ///< Holds the text of a .h file for C and C++.
  Schedule schedule = {};   ///< Holds the schedule without the marks that C cannot express.
  std::vector<std::string> notes = {};  ///< Has one sentence for each mark that was left out.
};

/// Returns C11 with vector extensions that needs only the C library. NAME_pack orders plain weights
/// as NAME_run(input, packed, [bias,] [residual,] output) reads them. The header lists further
/// arguments, which types other than f32, f64 and s32 need. NAME_pack is left out if the schedule
/// takes plain weights. Results of integers, and those of f32 and f64 if the compiler joins each
/// product and sum to one multiply-add, equal those of the assembled kernel bit for bit. Loops of
/// Kind::parallel become OpenMP loops. Throws Error with the rule when the name is no identifier,
/// the epilogue breaks a rule of Epilogue, a relation has other types than f32 and f64, the
/// schedule does not fit the problem or the target, or C cannot express the schedule.
EmittedC emit_c(const Problem& problem, const Schedule& schedule, const EmitOptions& options = {});

struct EmittedFile {
  std::string name = {};  ///< Holds the file name without a folder.
  std::string content = {};
};

struct EmittedNetwork {
  std::vector<EmittedFile> files = {};
  std::vector<std::string> notes = {};  ///< Has one sentence for each mark that was left out.
};

/// Returns C11 that computes the network as compile() of the plan does, and that needs only the C
/// library. NAME.h declares NAME_run(weights, inputs..., outputs..., workspace) and says how to
/// compile and to call it. NAME.weights is a binary file with the packed weights, because long
/// arrays in C compile slowly and because processes can share one mapping of a file. Requires that
/// the machine of the plan has the vectors of `target`, as machine_for() makes it. Throws Error
/// when `name` is no C identifier, when the plan is that of a list of layers, or when the network
/// has no outputs. Throws Error with the rule and the name of the node or tensor when a node
/// cannot be written as C, a tensor is not f32 or has no elements, or constants have no numbers.
EmittedNetwork emit_network(const NetworkPlan& plan, Target target, const std::string& name);

/// Returns `machine` with the vectors of `target`, and without AMX and a narrow unit, for planning
/// code that runs elsewhere. Kernel rates that were measured with other vectors are removed.
Machine machine_for(Machine machine, Target target);

}  // namespace tileplan
