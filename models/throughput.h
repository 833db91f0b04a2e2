// SPDX-License-Identifier: Apache-2.0
// Microkernel -> cycles per reduction step and per call. models/README.md eq. (K).
#pragma once

#include "tileplan/machine.h"

namespace tileplan {

/// Rows x vectors of accumulators.
struct RegisterTile {
  int pixels = 1;
  int vectors = 1;
  bool vector_input = false;  ///< the input has the vectorised dim: vectors of it, no broadcasts
  /// Above 0, vectors are of pixels: the rows are so many channels times places in the input, and
  /// weights are broadcast.
  int channels = 0;

  bool operator==(const RegisterTile&) const = default;
};

struct StepCycles {
  double cycles = 0;      ///< per reduction step
  double efficiency = 0;  ///< FMA-bound cycles over `cycles`
  int registers = 0;      ///< needed
};

/// Lower bound on the cycles of one reduction step, eq. (K): the slowest of FMA units, FMA
/// latency, load ports and issue, when the loop is unrolled by `unroll` steps. Spills are not in
/// it. Requires unroll >= 1. Separate: each pixel value is broadcast into a register of its own,
/// then multiplied with every weight vector. Embedded: the multiply-add broadcasts its memory
/// operand, one load each. Example: 14 x 2 on 2 FMA units, 2 load ports, 4 issues: 14 cycles,
/// efficiency 1, 31 registers.
StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll = 1);
StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit, int unroll = 1);

/// The same bound for an input of vectors: one load each, inside the multiply-add. One register
/// more than weights and accumulators on instruction sets without masks.
/// Example: 14 x 2 on 2 load ports: (28 + 2) / 2 = 15 cycles.
StepCycles vector_input(RegisterTile tile, const VectorUnit& unit, int unroll = 1);

/// The same bound for vectors of pixels: one broadcast per channel, and one load of each input
/// vector, inside the multiply-add where that is the only one. It begins anywhere in a cache line,
/// (L1), and takes two loads more where it crosses into the next. A register per channel, one for
/// the input vector of several channels, and two more than accumulators and channels on instruction
/// sets without masks. Requires tile.channels >= 1.
/// Example: 1 channel x 28 vectors of f32 on AVX-512: (28 * (1 + 2 * 15 / 16) + 1) / 2 = 40.75
/// cycles.
StepCycles pixel_vectors(RegisterTile tile, const VectorUnit& unit, int unroll = 1);

/// True of AVX-512 at any width: masks, and multiply-adds that broadcast their memory operand.
bool has_masks(Isa isa);

/// Most vectors of weights beside which generated code embeds the broadcasts: 1 on AVX-512, where
/// that costs no extra load; 2 on its narrow vectors, where the loads cost less than the operations
/// (14 x 2 runs at 0.90 of peak instead of 0.85, 9 x 3 would at 0.85 instead of 0.95: Zen 4,
/// 2026-11-22); 0 elsewhere.
int embedded_vectors(Isa isa);

/// The step that generated code uses: vectors where the input has them, else broadcasts, embedded
/// up to `embedded_vectors`, separate otherwise.
StepCycles generated_step(RegisterTile tile, const VectorUnit& unit);

/// True when `generated_step(tile, unit)` needs no more registers than there are: separate pixels *
/// vectors + vectors + 1, embedded 1 less, vector inputs as separate without the 1 where
/// `has_masks`, vectors of pixels as above.
bool fits_registers(RegisterTile tile, const VectorUnit& unit);

/// The measured rate of the tile on `machine` (tables hold broadcasts of the input only; vectors of
/// pixels do the work of the tile of as many broadcasts and vectors, but never in less than their
/// own bound), else the throughput bound with the default cost per call: accumulators loaded and
/// stored once, and 20 cycles of loop entry and mispredicted exit. A tile that
/// spills pays one load and one store per spilled register and step.
KernelRate kernel_rate(RegisterTile tile, const Machine& machine);

}  // namespace tileplan
