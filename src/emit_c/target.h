// SPDX-License-Identifier: Apache-2.0
// C is emitted for these instruction sets.
#pragma once

#include <optional>
#include <string>

#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// The instruction set of the C. `scalar` is plain C without vectors.
enum class Target { scalar, avx2, avx512, avx512vl, neon };

struct TargetRow {
  Target target;
  const char* name;
  int lanes;               ///< of f32
  const char* features;    ///< of the target attribute
  const char* constraint;  ///< of an operand in a vector register
};

const TargetRow& target_row(Target target);

/// Returns the elements of `type` per vector: 1, 8, 16, 8 and 4 of f32.
int lanes_of(Target target, ElementType type = ElementType::f32);
std::string to_string(Target target);
/// Returns the instruction set; nothing for scalar.
std::optional<Isa> isa_of(Target target);
/// Throws Error when `text` names no target.
Target parse_target(const std::string& text);
/// True for AVX-512, whose multiply-adds may broadcast an operand from memory.
bool has_memory_operands(Target target);
/// Throws Error when `schedule` says isa= and another target.
void check_target(const Schedule& schedule, Target target);

}  // namespace tileplan
