// SPDX-License-Identifier: Apache-2.0
// Microkernel -> cycles per reduction step and per call. model.md 8.1, 8.2.
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

/// Rows x vectors of accumulators.
struct RegisterTile {
  int pixels = 1;
  int vectors = 1;

  bool operator==(const RegisterTile&) const = default;
};

struct StepCycles {
  double cycles = 0;       ///< per reduction step
  double efficiency = 0;   ///< FMA-bound cycles over `cycles`
  int registers = 0;       ///< needed
};

/// Throughput bound of one step with separate or embedded broadcast (model.md 8.1), `unroll` steps per loop iteration.
StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll = 1);
StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll = 1);

/// True when the tile fits the register file with the broadcast that the code generator uses.
bool fits_registers(RegisterTile tile, const VectorUnit& unit);

/// The measured rate of the tile on `machine`, else the throughput bound with the default cost per call.
KernelRate kernel_rate(RegisterTile tile, const Machine& machine);

}  // namespace tileplan
