// SPDX-License-Identifier: Apache-2.0
// For pack=in@POS, copies the part of the input that one loop reads into a contiguous box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packed_box.h"

namespace tileplan {

/// Lists for each axis, outermost first in the box, the index values that occur.
struct BoxCopy {
  struct Axis {
    std::vector<std::int64_t> index;      ///< Values ascend, and count from the first.
    std::vector<std::int64_t> from = {};  ///< Elements in the input count from the first.
    std::vector<std::int64_t> to = {};    ///< Elements in the box count from its start.
    int guard = -1;           ///< This GuardIndices entry applies; -1 if no value is outside.
    std::int64_t extent = 0;  ///< Guarded indices must be less.
    bool zeroed = false;      ///< Vectors lie across the border and need zeros outside the tensor.
  };
  /// A phase is every `count`-th value of the innermost axis. Its values are neighbours in the box,
  /// and `from` elements apart in the input. With a count of 0 there are no phases.
  struct Phases {
    std::int64_t count = 0, from = 0;
  };

  ElementType type = ElementType::f32;
  std::vector<Axis> axes;
  Phases phases;
  /// The values of the last axis but one are neighbours in the input, evenly apart in the box.
  bool in_patches = false;
  /// Every kSquare values of the innermost axis are neighbours in the input and in the box.
  bool in_lines = false;

  static constexpr std::size_t kSquare = 16;  ///< A cache line holds 16 f32.
};

/// Plans the copy of `box` into a box of layout `packed` that vectors along `vectorised` read.
BoxCopy plan_box_copy(const Computation& computation, const TensorLayout& input,
                      const TensorLayout& packed, const Tile& box, Dim vectorised);

/// Copies to `to` the box whose first iteration reads `from` and has the indices `first`. Elements
/// in the padding are not read, and written (zero) only where vectors of pixels cross its border.
void copy_box(const BoxCopy& copy, const char* from, char* to, const GuardIndices& first);

}  // namespace tileplan
