// SPDX-License-Identifier: Apache-2.0
// pack=in@POS copies the input box inside one loop to where its tiles lie at unit stride.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packed_box.h"

namespace tileplan {

/// The copy of one box: the values that occur of every index, outermost first in the box.
struct BoxCopy {
  struct Axis {
    std::vector<std::int64_t> index;      ///< values, ascending, relative to the first
    std::vector<std::int64_t> from = {};  ///< elements in the input, relative to the first
    std::vector<std::int64_t> to = {};    ///< elements in the box
    int guard = -1;                       ///< number among the guarded data dims; -1: never outside
    std::int64_t extent = 0;              ///< of the array, for guards
    bool zeroed = false;  ///< vectors lie across the border: zeros outside the array
  };
  /// A phase is every `count`-th value of the innermost axis.
  struct Phases {
    std::int64_t count = 0;
    std::int64_t from = 0;  ///< elements in the input from one value of a phase to the next
  };

  ElementType type = ElementType::f32;
  std::vector<Axis> axes;
  /// The values of a phase are neighbours in the box and evenly apart in the input; count 0: none.
  Phases phases;
  /// The values of the last axis but one are neighbours in the input, evenly apart in the box.
  bool in_patches = false;
  /// Every kSquare values of the innermost axis are neighbours in the input and in the box.
  bool in_lines = false;

  static constexpr std::size_t kSquare = 16;  ///< elements: one cache line of f32, two of f64
};

/// Plans the copy of `box` into a box of layout `packed` that vectors along `vectorised` read.
BoxCopy plan_box_copy(const Computation& computation, const TensorLayout& input,
                      const TensorLayout& packed, const Tile& box, Dim vectorised);

/// The memory that a copy reads and writes.
struct CopyEnds {
  const char* from = nullptr;
  char* to = nullptr;
};

/// Copies the box whose first iteration reads `ends.from` and has the indices `first`. Elements in
/// the padding are not read, and written (zero) only where vectors of pixels lie across its border.
void copy_box(const BoxCopy& copy, const CopyEnds& ends, const GuardIndices& first);

}  // namespace tileplan
