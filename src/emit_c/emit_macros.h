// SPDX-License-Identifier: Apache-2.0
// What differs between the instruction sets that C is emitted for, as macros at the head of the
// file.
#pragma once

#include "emit_c.h"
#include "emit_tile.h"

namespace tileplan {

struct TargetRow {
  Target target;
  const char* name;
  int lanes;               ///< of f32
  const char* features;    ///< of the target attribute
  const char* constraint;  ///< of an operand in a vector register
};

const TargetRow& target_row(Target target);

/// True of AVX-512, whose multiply-adds may broadcast an operand from memory.
bool has_memory_operands(Target target);

/// Throws Error when `schedule` says isa= and another target.
void check_target(const Schedule& schedule, Target target);

/// The vector type, and how vectors are loaded, broadcast and stored.
void emit_macros(CWriter& out, const EmitContext& context, const TargetRow& row);

}  // namespace tileplan
