// SPDX-License-Identifier: Apache-2.0
// This file lists the vector instruction sets of this host for which there are assembled kernels.
// AMX is left out.
#pragma once

#include <vector>

#include "microkernel_spec.h"

namespace tileplan {

inline std::vector<Isa> host_isas() {
  std::vector<Isa> isas = {Isa::avx2, Isa::avx512vl, Isa::avx512};
  std::erase_if(isas, [](Isa isa) { return !host_has(isa); });
  return isas;
}

}  // namespace tileplan
