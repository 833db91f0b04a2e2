// SPDX-License-Identifier: Apache-2.0
// This file assembles the linear transforms of Winograd tiles, with one tile element per vector of
// channels.
#pragma once

#include <xbyak/xbyak.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "straight_line_program.h"
#include "tile_window.h"
#include "tileplan/epilogue.h"
#include "tileplan/isa.h"

namespace tileplan {

/// Holds the distances between the elements of a tile, in bytes. An element is a vector of
/// channels. The tile of the next vector of channels begins `channels` bytes later.
struct TileStrides {
  std::int64_t row = 0, column = 0, channels = 0;
};

/// Describes how elements of a tile are read or written.
struct TileAccess {
  TileStrides strides = {};
  TileWindow window = {};  ///< Elements outside the window are read as zeros, and are not written.
  int lanes = 0;           ///< Only this many lanes of each vector are accessed; 0 means all.
};

struct TileTransformSpec {
  Isa isa = Isa::avx2;
  StraightLineProgram height = {},
                      /// `height` transforms the columns of a tile first, and then `width`
                      /// transforms its rows.
      width = {};
  TileAccess in = {}, out = {};
  /// If true, whole vectors are stored, with zeros in the lanes from `out.lanes` on.
  bool zeroes_other_lanes = false;
  Epilogue epilogue = {};  ///< This epilogue is applied to each output before the store.
};

/// Holds the arguments of one call, which transforms `vectors` tiles of neighbouring channels.
struct TileTransformCall {
  const float* in = nullptr;
  float* out = nullptr;
  float* scratch = nullptr;     ///< The first program stores its results here for the second one.
  std::int64_t vectors = 1;     ///< There is at least one vector.
  const float* bias = nullptr;  ///< An epilogue reads the bias of the first channels here.
  std::int64_t residual = 0;    ///< The residual is this many bytes from the output.
};

/// Owns code that applies the first program to the columns of a tile and the second one to its
/// rows. The results are bitwise those of ProgramRun.
class TileTransform {
 public:
  /// Throws Error when `isa` has no assembler, when a program uses more values at once than there
  /// are registers, or when the system does not permit executable memory. Requires: tiles span less
  /// than 2 GiB.
  explicit TileTransform(const TileTransformSpec& spec);

  void operator()(const TileTransformCall& call) const { function_(&call); }
  /// Returns the size of TileTransformCall::scratch.
  std::size_t scratch_floats() const { return scratch_floats_; }

 private:
  std::shared_ptr<const Xbyak::CodeGenerator> code_;
  void (*function_)(const TileTransformCall*) = nullptr;
  std::size_t scratch_floats_ = 0;
};

}  // namespace tileplan
