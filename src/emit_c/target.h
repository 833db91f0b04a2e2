// SPDX-License-Identifier: Apache-2.0
// Describes the instruction sets that C is emitted for.
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
  const char* constraint;  ///< Inline assembly has this constraint for vectors.
};

const TargetRow& target_row(Target target);

/// Returns the number of elements of `type` per vector; of f32 these are 1, 8, 16, 8 and 4.
int lanes_of(Target target, ElementType type = ElementType::f32);
/// Returns the instruction set; nothing for scalar.
std::optional<Isa> isa_of(Target target);
/// Returns true for AVX-512, whose multiply-adds may broadcast an operand from memory.
bool has_memory_operands(Target target);
/// Throws Error when the isa= of `schedule` is not `target`.
void check_target(const Schedule& schedule, Target target);

}  // namespace tileplan
