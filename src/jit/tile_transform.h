// SPDX-License-Identifier: Apache-2.0
// This file assembles the linear transforms of Winograd tiles.
#pragma once

#include <xbyak/xbyak.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "tile_transform_spec.h"

namespace tileplan {

/// Holds the arguments of one call, which transforms one tile for each of `vectors` consecutive
/// vectors of channels.
struct TileTransformCall {
  const float* in = nullptr;
  float* out = nullptr;
  float* scratch = nullptr;     ///< The first program stores its results here for the second one.
  std::int64_t vectors = 1;     ///< There is at least one vector.
  const float* bias = nullptr;  ///< An epilogue with a bias reads its first vector here.
  std::int64_t residual = 0;    ///< The residual is this many bytes from the output.
};

/// Owns code that applies the program TileTransformSpec::height to the columns of a tile, and then
/// the program `width` to its rows. Before the epilogue, the results are bitwise those of
/// ProgramRun.
class TileTransform {
 public:
  /// Throws Error when `isa` has no assembler, when a program uses more values at once than there
  /// are registers, or when the system does not permit executable memory. Requires: tiles span less
  /// than 2 GiB, and TileStrides::channels is less than 2 GiB.
  explicit TileTransform(const TileTransformSpec& spec);

  void operator()(const TileTransformCall& call) const { function_(&call); }
  /// Returns the size of TileTransformCall::scratch, counted in floats.
  std::size_t scratch_floats() const { return scratch_floats_; }

 private:
  std::shared_ptr<const Xbyak::CodeGenerator> code_;
  void (*function_)(const TileTransformCall*) = nullptr;
  std::size_t scratch_floats_ = 0;
};

}  // namespace tileplan
