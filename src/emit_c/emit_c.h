// SPDX-License-Identifier: Apache-2.0
// A schedule as readable C: the loop tree of loop_nest.h, for compilers instead of the assembler.
#pragma once

#include <optional>
#include <string>

#include "computation.h"
#include "tileplan/epilogue.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// What the C is written for. `scalar` is plain C without vectors.
enum class Target { scalar, avx2, avx512, avx512vl, neon };

/// Elements of `type` per vector; of f32 1, 8, 16, 8, 4.
int lanes_of(Target target, ElementType type = ElementType::f32);
std::string to_string(Target target);
/// Its instruction set; nothing for scalar.
std::optional<Isa> isa_of(Target target);
/// Throws Error when the name is none of theirs.
Target parse_target(const std::string& text);

struct EmitSpec {
  Target target = Target::scalar;
  /// Prefix of the functions' names, a C identifier.
  std::string name = "tileplan";
  /// NAME_run(input, packed, [bias,] [residual,] output) takes what it adds.
  Epilogue epilogue = {};
};

/// `schedule` without the marks of which the C has nothing: `nt`, as streaming stores need aligned
/// outputs, and `ahead` over an input that assembled kernels read from a transposed copy. Throws
/// Error as `resolve` does.
Schedule as_emitted(const Computation& computation, Schedule schedule, Target target);

/// C11 (with the vector extensions of GCC and Clang, unless scalar) that needs nothing but the C
/// library: NAME_pack brings plain weights into the order in which NAME_run reads them,
/// NAME_run(input, packed, output) is the loop nest of `schedule`. Tensors as in Kernel::run. On
/// one instruction set its results equal those of the assembled kernel bit for bit. P loops are
/// OpenMP loops when compiled with OpenMP. The schedule in the first comment is as_emitted. Throws
/// Error when the schedule does not fit the computation, the target or its vectors, or uses what is
/// not emitted, with the rule.
std::string emit_c(const Computation& computation, const Schedule& schedule, const EmitSpec& spec);

/// The header for callers of what emit_c writes, in C or C++: the same declarations, and the number
/// of elements of every argument. `emitted` is what emit_c returned.
std::string emit_c_header(const std::string& emitted);

}  // namespace tileplan
