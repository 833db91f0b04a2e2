// SPDX-License-Identifier: Apache-2.0
// For pack=in@POS, copies the part of the input that one loop reads into a contiguous box.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packed_box.h"

namespace tileplan {

/// Describes the copy of a box as a product of axes, which are listed outermost first in the box.
struct BoxCopy {
  struct Axis {
    std::vector<std::int64_t> index;      ///< Index values ascend from 0, the first.
    std::vector<std::int64_t> from = {};  ///< Input offsets of the values are in elements.
    std::vector<std::int64_t> to = {};    ///< Box offsets of the values are in elements.
    int guard = -1;           ///< This entry of GuardIndices bounds the axis; -1 is no bound.
    std::int64_t extent = 0;  ///< Indices in the tensor are below this extent.
    bool zeroed = false;      ///< Vectors cross the border and need zeros outside the tensor.
  };
  /// A phase holds every `count`-th value of the innermost axis. Its values are contiguous in the
  /// box and `from` elements apart in the input. A count of 0 means that there are no phases.
  struct Phases {
    std::int64_t count = 0, from = 0;
  };

  ElementType type = ElementType::f32;
  std::vector<Axis> axes;
  Phases phases;
  /// Values of the second innermost axis are contiguous in the input and evenly spaced in the box.
  bool in_patches = false;
  /// Each kSquare values of the innermost axis are contiguous in the input and in the box.
  bool in_lines = false;

  static constexpr std::size_t kSquare = 16;  ///< A cache line holds 16 f32.
};

/// Plans the copy of `box` into a box of layout `packed` that vectors along `vectorised` read.
BoxCopy plan_box_copy(const Computation& computation, const TensorLayout& input,
                      const TensorLayout& packed, const Tile& box, Dim vectorised);

/// Copies to `to` the box whose first iteration reads `from` and has the indices `first`. Padding
/// is never read. Its zeros are written only where vectors of pixels cross the border.
void copy_box(const BoxCopy& copy, const char* from, char* to, const GuardIndices& first);

}  // namespace tileplan
