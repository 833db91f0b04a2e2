// SPDX-License-Identifier: Apache-2.0
// This model estimates the cycles of a microkernel per reduction step and per call:
// models/README.md eq. (K).
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

/// Describes the accumulators of a microkernel, which are pixels x vectors.
struct RegisterTile {
  int pixels = 1;
  int vectors = 1;
  bool vector_input = false;  ///< The input has the vectorised dim, so it is not broadcast.
  /// Above 0, vectors hold pixels, and the weights of this many channels are broadcast. `pixels` is
  /// then this number times the number of input positions.
  int channels = 0;

  bool operator==(const RegisterTile&) const = default;
};

struct StepCycles {
  double cycles = 0;      ///< cycles
  double efficiency = 0;  ///< The cycles of the FMA units are this share of `cycles`.
  int registers = 0;      ///< The step needs this many registers.
};

/// Returns a lower bound on the cycles of one reduction step, eq. (K): the longest of the times
/// that FMA units, FMA latency, load ports and issue require. Spills do not count. With separate
/// broadcasts each pixel value is broadcast into a register of its own, then multiplied with every
/// weight vector. With embedded broadcasts each multiply-add loads and broadcasts its own memory
/// operand. Example: 14 x 2 on 2 FMA units, 2 load ports and 4 issues per cycle takes 14 cycles,
/// efficiency 1, 31 registers.
StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit);
StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit);

/// Returns true for AVX-512 at any vector width, because only AVX-512 has masks and embedded
/// broadcasts.
bool has_masks(Isa isa);

/// Returns the largest number of weight vectors for which generated code embeds the broadcasts. The
/// result is 1 on AVX-512, where embedding costs no extra load, 2 on narrow vectors of AVX-512,
/// where the loads cost less than the operations (docs/experiments.md), and 0 elsewhere.
int embedded_vectors(Isa isa);

/// Returns the bound of the step that generated code uses. Vectors of channels take broadcasts of
/// the input, embedded up to `embedded_vectors`. Where the input has the vectorised dim, each
/// multiply-add loads a vector of the input instead, which needs one register more on instruction
/// sets without masks. Example: 14 x 2 vectors of input on 2 load ports: (28 + 2) / 2 = 15 cycles.
/// Vectors of pixels take one broadcast per channel and one load per input vector, which the
/// multiply-add embeds when there is one channel. A load begins anywhere in a cache line, eq. (L1),
/// and costs two loads more when it crosses into the next. Each channel takes a register, and the
/// input vector takes one if there are several channels. Instruction sets without masks need two
/// more. Example: 1 channel x 28 vectors of f32 on AVX-512: (28 * (1 + 2 * 15 / 16) + 1) / 2
/// cycles.
StepCycles generated_step(RegisterTile tile, const VectorUnit& unit);

/// Returns true when `generated_step(tile, unit)` needs no more registers than the machine has.
bool fits_registers(RegisterTile tile, const VectorUnit& unit);

/// Returns the measured rate of the tile on `machine`. Tables hold broadcasts of the input only, so
/// vectors of pixels take the rate of the tile with the same numbers of broadcasts and vectors, but
/// at least their own bound in cycles. Without a measured rate the result is the throughput bound
/// and a default cost per call: accumulators are loaded and stored once, and loop entry and
/// mispredicted exit take 20 cycles. A tile that spills loads and stores each spilled register in
/// every step.
KernelRate kernel_rate(RegisterTile tile, const Machine& machine);

}  // namespace tileplan
