// SPDX-License-Identifier: Apache-2.0
// This file describes machines for which C is emitted.
#include <utility>

#include "microkernel_spec.h"
#include "target.h"
#include "tileplan/emit.h"

namespace tileplan {

Machine machine_for(Machine machine, Target target) {
  machine.tiles.reset();
  machine.vector.dots.fused_conversions = false;
  if (machine.narrow) machine.narrow->vector.dots.fused_conversions = false;
  const Isa isa = isa_of(target).value_or(Isa::avx2);  // Scalar C uses the registers of AVX2.
  if (machine.narrow && machine.narrow->vector.isa == isa)
    return with_narrow_unit(std::move(machine));
  machine.narrow.reset();
  if (machine.vector.isa == isa && target != Target::scalar) return machine;
  machine.rates.kernels.clear();  // The rates were measured with other instructions.
  machine.rates.others.clear();
  const bool is_wide = isa == Isa::avx512 || isa == Isa::avx512vl;
  // Emitted C contains code for compilers with and without dot-product instructions.
  machine.vector.dots = {.integers = is_wide, .bf16 = is_wide, .fused_conversions = false};
  machine.vector.isa = isa;
  machine.vector.lanes = lanes_of(target);
  machine.vector.registers = registers_of(isa);
  return machine;
}

}  // namespace tileplan
