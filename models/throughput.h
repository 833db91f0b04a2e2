// SPDX-License-Identifier: Apache-2.0
// This model estimates the cycles of a microkernel per reduction step and per call:
// models/README.md eq. (K).
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

/// Describes the accumulators of a microkernel: pixels x vectors.
struct RegisterTile {
  int pixels = 1;
  int vectors = 1;
  bool vector_input = false;  ///< The input has the vectorised dim, so it is not broadcast.
  /// Above 0, vectors are of pixels, and weights of so many channels are broadcast. `pixels` is
  /// this number times the places in the input.
  int channels = 0;

  bool operator==(const RegisterTile&) const = default;
};

struct StepCycles {
  double cycles = 0;      ///< cycles
  double efficiency = 0;  ///< It is FMA-bound cycles / `cycles`.
  int registers = 0;      ///< The step needs so many.
};

/// Returns a lower bound on the cycles of one reduction step, eq. (K): the slowest of FMA units,
/// FMA latency, load ports and issue. Spills do not count. With separate broadcasts each pixel
/// value is broadcast into a register of its own, then multiplied with every weight vector. With
/// embedded ones the multiply-add broadcasts its memory operand, one load each. Example: 14 x 2 on
/// 2 FMA units, 2 load ports, 4 issues: 14 cycles, efficiency 1, 31 registers.
StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit);
StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit);

/// Returns true for AVX-512 at any width, which has masks and embedded broadcasts.
bool has_masks(Isa isa);

/// Returns the most vectors of weights with which generated code embeds the broadcasts. It is 1 on
/// AVX-512, where that costs no extra load, 2 on its narrow vectors, where the loads cost less than
/// the operations (docs/experiments.md), and 0 elsewhere.
int embedded_vectors(Isa isa);

/// Returns the bound of the step that generated code uses. Vectors of channels take broadcasts,
/// embedded up to `embedded_vectors`, or vectors of the input where it has them, one load each,
/// inside the multiply-add. The latter need one register more on instruction sets without masks.
/// Example: 14 x 2 vectors of input on 2 load ports: (28 + 2) / 2 = 15 cycles.
/// Vectors of pixels take one broadcast per channel, and one load of each input vector, inside the
/// multiply-add where that is the only one. A load begins anywhere in a cache line, (L1), and takes
/// two loads more where it crosses into the next. Each channel takes a register, and the input
/// vector of several channels one. Instruction sets without masks need two more.
/// Example: 1 channel x 28 vectors of f32 on AVX-512: (28 * (1 + 2 * 15 / 16) + 1) / 2 cycles.
StepCycles generated_step(RegisterTile tile, const VectorUnit& unit);

/// Returns true when `generated_step(tile, unit)` needs no more registers than there are.
bool fits_registers(RegisterTile tile, const VectorUnit& unit);

/// Returns the measured rate of the tile on `machine`. Tables hold broadcasts of the input only, so
/// vectors of pixels take the rate of the tile of as many broadcasts and vectors, but never less
/// than their own bound. Without a measured rate it returns the throughput bound and a default cost
/// per call: accumulators loaded and stored once, and 20 cycles of loop entry and mispredicted
/// exit. A tile that spills loads and stores each spilled register in every step.
KernelRate kernel_rate(RegisterTile tile, const Machine& machine);

}  // namespace tileplan
