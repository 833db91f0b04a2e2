// SPDX-License-Identifier: Apache-2.0
// This file describes vector units other than the default.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

inline VectorUnit avx2(double fma_latency = VectorUnit{}.fma_latency) {
  return {.isa = Isa::avx2, .lanes = 8, .registers = 16, .fma_latency = fma_latency};
}

}  // namespace tileplan
