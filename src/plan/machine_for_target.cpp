// SPDX-License-Identifier: Apache-2.0
// This file describes machines that emitted C is planned for.
#include <utility>

#include "microkernel_spec.h"
#include "target.h"
#include "tileplan/emit.h"

namespace tileplan {

Machine machine_for(Machine machine, Target target) {
  const Isa isa = isa_of(target).value_or(Isa::avx2);  // scalar code has its registers
  if (machine.narrow && machine.narrow->vector.isa == isa)
    return with_narrow_unit(std::move(machine));
  machine.narrow.reset();
  if (machine.vector.isa == isa && target != Target::scalar) return machine;
  machine.rates.kernels.clear();
  machine.vector.isa = isa;
  machine.vector.lanes = lanes_of(target);
  machine.vector.registers = registers_of(isa);
  return machine;
}

}  // namespace tileplan
