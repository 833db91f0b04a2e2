// SPDX-License-Identifier: Apache-2.0
// This file compiles a microkernel whose reduction stays in the first-level cache, unless the tile
// has one vector and many pixels.
#pragma once

#include <cstdint>

#include "microkernel.h"
#include "throughput.h"

namespace tileplan {

/// An element of f32 and a sum have this many bytes each. A strip (the elements that one lane
/// multiplies) has as many, except with tiles of AMX.
inline constexpr std::int64_t kFloatBytes = 4;

/// Returns the number of steps of the longest call: the largest multiple of 32 whose weights take
/// at most 320 vectors (20 KiB with AVX-512), but at least 32. For AMX tiles, whose steps read 16
/// times as much, it is 8.
std::int64_t most_steps(const RegisterTile& tile, const VectorUnit& unit);

/// Returns the number of steps of the shorter call: kShortCallSteps, which are two iterations of
/// the loop, or one iteration with tiles of AMX.
std::int64_t few_steps(const VectorUnit& unit);

/// Describes a call that computes the first `steps` steps of the reduction for a row of tiles.
struct TileCall {
  const char* input = nullptr;
  const char* weights = nullptr;
  char* output = nullptr;
  std::int64_t steps = 0;
  std::int64_t tiles = 1;
  std::int64_t flags = 0;  ///< The flags kAccumulate, kTail and kApplyEpilogue may be set.
};

/// Returns the number of steps in an iteration of the loop of long calls: 8, or 2 with tiles of
/// AMX.
int unroll_of(const VectorUnit& unit);

/// Runs a register tile inside a reduction loop over channels, on an input in nhwc and blocked
/// weights. An iteration of the loop has `unroll` steps.
class TileKernel {
 public:
  /// Requires that `tile` fits the register file of `unit` and kMaxPixels pixels.
  TileKernel(const RegisterTile& tile, const VectorUnit& unit, int unroll);

  std::int64_t output_bytes() const { return output_bytes_; }

  /// Requires that `call.steps` is a multiple of `unroll` and at most most_steps(). The input
  /// and the weights must have 64 KiB of memory each, and the output `call.tiles` * output_bytes()
  /// bytes.
  void run(const TileCall& call) const;

 private:
  std::int64_t output_bytes_;
  int pixels_;
  Microkernel kernel_;
};

}  // namespace tileplan
