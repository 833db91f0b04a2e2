// SPDX-License-Identifier: Apache-2.0
// Finds loops that leave a block of a layout in its middle, which are not linear in memory.
#pragma once

#include <cstdint>
#include <optional>

#include "tensor_layout.h"

namespace tileplan {

/// `count` points along `dim`, `step` apart.
struct Repeat {
  Dim dim{};
  std::int64_t count = 1;
  std::int64_t step = 1;
};

/// A block that a loop cuts.
struct CutBlock {
  std::int64_t elements = 0;  ///< of the block, along its axis
  std::int64_t points = 0;    ///< of the loop that fill it, rounded down
};

/// Returns the block of `layout` that `loop` cuts, because it neither steps by whole blocks of
/// `operand` nor stays inside one. Among several it is the one with the fewest points. Example: 32
/// groups of 2 channels in blocks of 16 channels cut one of 8 points.
std::optional<CutBlock> cut_block(const Computation& computation, Operand operand,
                                  const TensorLayout& layout, const Repeat& loop);

}  // namespace tileplan
