// SPDX-License-Identifier: Apache-2.0
// This model estimates the cycles of a microkernel per reduction step and per call:
// models/README.md eq. (K).
#pragma once

#include <vector>

#include "tileplan/machine.h"

namespace tileplan {

/// Describes the accumulators of a microkernel, which are pixels x vectors.
struct RegisterTile {
  int pixels = 1;
  int vectors = 1;
  /// If true, the input has the vectorised dim, so it is not broadcast.
  bool vector_input = false;
  /// If this is positive, vectors hold pixels, and the weights of this many channels are broadcast.
  /// `pixels` is then this number times the number of input positions. If it is 0, vectors hold
  /// channels or groups.
  int channels = 0;
  /// Tiles of AMX hold only pixels that are neighbours in a row of this many pixels. 0 means that
  /// all pixels are neighbours.
  int row = 0;

  bool operator==(const RegisterTile&) const = default;
};

struct StepCycles {
  double cycles = 0;
  double efficiency = 0;  ///< The cycles of the FMA units are this share of `cycles`.
  int registers = 0;      ///< The step needs this many registers.
};

/// Returns a lower bound on the cycles of one reduction step, eq. (K): the longest of the times
/// that FMA units, FMA latency, load ports and issue require. Broadcasts are separate loads into
/// registers, or embedded in each multiply-add. Spills are not counted. Example: separate 14 x 2 on
/// 2 FMA units, 2 load ports and 4 issues per cycle takes 14 cycles and needs 31 registers.
StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit);
StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit);

/// Returns the largest number of pixels in a register tile: one for each register, and up to 32 in
/// tiles of AMX.
int most_pixels(const VectorUnit& unit);

/// Returns true for AVX-512 of any width, which alone has masks and embedded broadcasts.
bool has_masks(Isa isa);

/// Returns the largest number of weight vectors for which generated code embeds the broadcasts. The
/// result is 1 on AVX-512, where embedding costs no extra load, 2 on narrow vectors of AVX-512,
/// where the loads cost less than the operations (docs/experiments.md), and 0 elsewhere and without
/// embeds_operands().
int embedded_vectors(const VectorUnit& unit);

/// Returns true when the instruction that multiplies and adds may read the input from memory. The
/// signs of bytes decide which factor of vpdpbusd is in memory, so it always reads registers here.
bool embeds_operands(const VectorUnit& unit);

/// Returns the bound of the step that generated code uses. Vectors of channels multiply broadcasts
/// of the input, embedded up to `embedded_vectors`, or vectors of the input if it has the
/// vectorised dim. Vectors of pixels multiply broadcast weights. Their loads may cross into the
/// next cache line, eq. (L1), which costs two more loads. Example: 1 channel x 28 vectors of f32 on
/// AVX-512 takes (28 * (1 + 2 * 15 / 16) + 1) / 2 cycles.
StepCycles generated_step(RegisterTile tile, const VectorUnit& unit);

/// AMX has kTileRegisters tiles of up to kTileRows rows.
constexpr int kTileRegisters = 8, kTileRows = 16;

/// Returns the numbers of rows of the tiles that hold `count` neighbouring pixels: as few tiles as
/// possible, as equal as possible. Example: 20 pixels are 2 tiles of 10 rows.
std::vector<int> split_into_tiles(int count);

/// Returns true when one tile holds the input of all pixels in turn, because there is no room for
/// one tile for each of the `groups` of pixels. The weights of all `vectors` are then in tiles.
bool streams_input(int groups, int vectors);

/// Returns the bound of the step with tiles of AMX. Each vector is multiplied by each group of
/// pixels in as many cycles as the group has rows, but at least 8, and the rows of all operands are
/// loaded once. The registers are tiles.
StepCycles tile_step(RegisterTile tile, const VectorUnit& unit);

bool fits_registers(RegisterTile tile, const VectorUnit& unit);

/// Returns the measured rate of the tile on `machine`. Vectors of pixels take the rate of the tile
/// with the same numbers of broadcasts and vectors, but at least the cycles of generated_step.
/// Without a measured rate, the result is the throughput bound with a default cost per call, and
/// every step loads and stores each spilled register.
KernelRate kernel_rate(RegisterTile tile, const Machine& machine);

}  // namespace tileplan
