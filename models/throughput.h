// SPDX-License-Identifier: Apache-2.0
// This model estimates the cycles of a microkernel per reduction step and per call:
// models/README.md eq. (K).
#pragma once

#include <vector>

#include "tileplan/machine.h"

namespace tileplan {

/// Describes the accumulators of a microkernel, which are pixels x vectors registers, or as many
/// rows of tile registers with AMX.
struct RegisterTile {
  int pixels = 1;
  int vectors = 1;
  /// Tells whether the input has the vectorised dimension, so that vectors of it are loaded instead
  /// of broadcasts of its elements.
  bool vector_input = false;
  /// Counts the channels whose weights are broadcast if vectors hold pixels, or is 0 if vectors
  /// hold channels or groups. With vectors of pixels, `pixels` is this number times the sizes of
  /// the tile along the other output dimensions that are not vectorised.
  int channels = 0;
  /// Gives the number of pixels in a row of neighbouring pixels; a tile of AMX holds pixels of one
  /// row only. If all pixels are neighbours, it may also be 0.
  int row = 0;

  bool operator==(const RegisterTile&) const = default;
};

struct StepCycles {
  double cycles = 0;
  /// Gives the useful cycles of the FMA units divided by `cycles`. Cycles in which AMX multiplies
  /// no row of pixels are not useful. With AMX, it is 0 for vectors of pixels or of the input, and
  /// where one tile register would hold groups of pixels of different sizes in turn.
  double efficiency = 0;
  int registers = 0;  ///< Counts the registers that the step needs.
};

/// Return a lower bound on the cycles of one reduction step, eq. (K): the longest of the times that
/// FMA units, FMA latency, load ports and issue require. Broadcasts are separate loads into
/// registers, or embedded in each multiply-add. Spills are not counted. Example: 14 pixels x 2
/// vectors with separate broadcasts on 2 FMA units, 2 load ports and 4 issues per cycle take 14
/// cycles and need 31 registers.
StepCycles separate_broadcast(RegisterTile tile, const VectorUnit& unit);
StepCycles embedded_broadcast(RegisterTile tile, const VectorUnit& unit);

/// Returns the largest number of pixels in a register tile: one for each register, and up to 32 in
/// tiles of AMX.
int most_pixels(const VectorUnit& unit);

/// Returns true for AVX-512 of any width, the only ISA with masks and embedded broadcasts, and for
/// AMX, because CPUs with AMX have AVX-512 too.
bool has_masks(Isa isa);

/// Returns the largest number of weight vectors for which generated code embeds the broadcasts of
/// the input in the multiply-adds. The result is 1 on AVX-512, where embedding costs no extra load,
/// 2 on narrow vectors of AVX-512, where the loads cost less than the operations
/// (docs/experiments.md), and 0 elsewhere and without embeds_operands().
int embedded_vectors(const VectorUnit& unit);

/// Returns true when the instruction that multiplies and adds may read the input from memory. An
/// input of bytes is always loaded into a register, because it may be the unsigned factor of
/// vpdpbusd, which cannot be in memory. The result is also false for tiles of AMX and where a
/// product takes two instructions.
bool embeds_operands(const VectorUnit& unit);

/// Returns the bound for the step that generated code uses. Tiles of AMX take tile_step(). Vectors
/// of channels multiply broadcasts of the input, embedded up to `embedded_vectors`, or vectors of
/// the input if it has the vectorised dimension. Kernels that widen such an input or make strips of
/// it in registers have a bound of their own, eq. (K). Vectors of pixels multiply broadcast
/// weights. Loads of pixels may cross into the next cache line, eq. (L1), which costs two more
/// loads. Example: 1 channel x 28 vectors of f32 on AVX-512 takes (28 * (1 + 2 * 15 / 16) + 1) / 2
/// cycles.
StepCycles generated_step(RegisterTile tile, const VectorUnit& unit);

/// AMX has kTileRegisters tiles of up to kTileRows rows.
constexpr int kTileRegisters = 8, kTileRows = 16;

/// Splits `count` neighbouring pixels into as few tiles of AMX as possible, whose numbers of rows
/// are as equal as possible, and returns these numbers. Example: 20 pixels are 2 tiles of 10 rows.
std::vector<int> split_into_tiles(int count);

/// Returns true when one tile register holds the groups of pixels in turn, because there are too
/// few registers for all `groups`. A group has the pixels of one tile (split_into_tiles). The
/// weights of all `vectors` then stay in registers.
bool streams_input(int groups, int vectors);

/// Returns the bound of the step with tiles of AMX. A register tile that AMX cannot compute gets
/// more tile registers than there are. A product of one vector and one group of pixels takes as
/// many cycles as the group has rows, but at least 8, and the rows of all operands are loaded once.
/// StepCycles::registers counts tile registers.
StepCycles tile_step(RegisterTile tile, const VectorUnit& unit);

/// Returns true when `unit` has the registers that generated_step() needs for `tile`.
bool fits_registers(RegisterTile tile, const VectorUnit& unit);

/// Returns the measured rate of the tile on `machine`. Vectors of pixels get the rate of the tile
/// for vectors of channels that has as many broadcasts and as many vectors, but at least the cycles
/// of generated_step. Without a measured rate, a step takes the throughput bound, or longer if the
/// measured rate of its instruction is lower. Every step then also loads and stores each spilled
/// register, and the cost per call follows from the number of accumulators.
KernelRate kernel_rate(RegisterTile tile, const Machine& machine);

/// Holds the cycles of calls, eq. (S), of one register tile or of several that run one after
/// another.
struct CallCycles {
  double call = 0;    ///< Gives the cycles that do not depend on the number of steps.
  double step = 0;    ///< Gives the cycles that are added per step.
  double resume = 0;  ///< Gives the cycles that are added when the calls continue sums.
  /// Replaces `call` in calls of fewer than kShortCallSteps steps, in which a step takes
  /// `step + (call - short_call) / kShortCallSteps`.
  double short_call = 0;

  CallCycles() = default;
  explicit CallCycles(const KernelRate& rate)
      : call(rate.cycles_per_call),
        step(rate.cycles_per_step),
        resume(rate.cycles_per_resume),
        short_call(rate.cycles_per_short_call.value_or(rate.cycles_per_call)) {}

  /// Adds the cycles of `times` calls of `each`.
  void add(const CallCycles& each, double times);
  /// Returns the cycles of calls as one linear function, which holds for calls of `steps` steps.
  /// Its `call` and `short_call` are equal.
  CallCycles at(double steps) const {
    CallCycles line = *this;
    if (steps < kShortCallSteps) {
      line.call = short_call;
      line.step += (call - short_call) / kShortCallSteps;
    }
    line.short_call = line.call;
    return line;
  }
  /// Returns the cycles of a call that makes `steps` steps and begins its sums. These cycles,
  /// divided by the steps, never rise with the steps, because `call` and `short_call` are at least
  /// 0. The bounds of the search rely on this.
  double of(double steps) const {
    const CallCycles line = at(steps);
    return line.call + steps * line.step;
  }
};

}  // namespace tileplan
