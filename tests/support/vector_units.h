// SPDX-License-Identifier: Apache-2.0
// This file describes the vector unit of AVX2. A default VectorUnit has AVX-512.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

inline VectorUnit avx2(double fma_latency = VectorUnit{}.fma_latency) {
  return {.isa = Isa::avx2, .lanes = 8, .registers = 16, .fma_latency = fma_latency};
}

}  // namespace tileplan
