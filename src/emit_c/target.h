// SPDX-License-Identifier: Apache-2.0
// This file describes the instruction sets for which C can be emitted.
#pragma once

#include <optional>
#include <string>

#include "tileplan/emit.h"

namespace tileplan {

struct TargetRow {
  Target target;
  const char* name;
  int lanes;               ///< A vector has this many f32.
  const char* features;    ///< The target attribute lists these features.
  const char* constraint;  ///< Inline assembly uses this constraint for vectors.
};

const TargetRow& target_row(Target target);

/// Returns the number of elements of `type` per vector, which is at least 1.
int lanes_of(Target target, ElementType type = ElementType::f32);
/// Returns the instruction set of `target`, or nothing for scalar code.
std::optional<Isa> isa_of(Target target);
/// Returns true for AVX-512, whose multiply-adds can broadcast an operand from memory.
bool has_memory_operands(Target target);
/// Throws Error when `schedule` names an instruction set (isa=) that differs from `target`.
void check_target(const Schedule& schedule, Target target);

}  // namespace tileplan
