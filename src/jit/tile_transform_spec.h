// SPDX-License-Identifier: Apache-2.0
// This file describes the linear transforms of Winograd tiles, whose elements are vectors of
// channels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "access.h"
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
  /// Only this many lanes of each vector are accessed; 0 means all. Stores can also write zeros to
  /// the other lanes (TileTransformSpec::zeroes_other_lanes).
  int lanes = 0;
};

/// Describes a transform of tiles and what it prefetches.
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
  /// The next tile begins this many bytes after this one. Its elements in the tensor `prefetched`
  /// are prefetched, because they lie in too many rows for the hardware prefetchers. 0 means no
  /// prefetches.
  std::int64_t next_tile = 0;
  Operand prefetched = Operand::input;
};

/// Returns true if `program` only copies its single input, because the filter and the tile have
/// size one in its direction.
bool is_copy(const StraightLineProgram& program);

/// Returns an upper bound on the bytes of the code of a transform.
std::size_t code_size(const TileTransformSpec& spec);

/// Returns the distances in bytes from this tile to the elements of the next one that are
/// prefetched. Elements that this tile loads too are left out.
std::vector<int> prefetched_elements(const TileTransformSpec& spec);

}  // namespace tileplan
