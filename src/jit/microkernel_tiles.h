// SPDX-License-Identifier: Apache-2.0
// This file divides the pixels of a register tile among the tile registers of AMX.
#pragma once

#include <vector>

#include "microkernel_spec.h"

namespace tileplan {

/// Holds the pixels first, first + 1, ..., end() - 1.
struct PixelRange {
  int first = 0, count = 0;

  int end() const { return first + count; }
};

/// Returns the distance in bytes between neighbouring pixels of a tile in the input, or 0 for a
/// single pixel.
std::int64_t tile_row_stride(const MicrokernelSpec& spec);

/// Returns the pixels of each tile. The pixels of a tile are equally far apart in the input, at one
/// distance for all tiles. Each set of pixels in the code has all pixels of a tile or none.
std::vector<PixelRange> tile_groups(const MicrokernelSpec& spec);

/// Throws Error when the tile registers cannot hold the register tile. Also throws Error when
/// inputs are loaded as vectors or weights are broadcast, because tiles cannot multiply them.
void check_tiles(const MicrokernelSpec& spec);

}  // namespace tileplan
