// SPDX-License-Identifier: Apache-2.0
// This file implements pack=in@POS and pack=out@POS. The first copies the elements of the input
// that one loop reads into a contiguous box. The second copies the elements of the output that one
// loop accesses into such a box, and copies them back after the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packed_box.h"

namespace tileplan {

/// Describes the copy of a box, which is a product of index sets. Axes are listed outermost first.
struct BoxCopy {
  struct Axis {
    std::vector<std::int64_t> index;  ///< The indices ascend from 0.
    /// The indices have these offsets in the tensor that is read, in elements.
    std::vector<std::int64_t> from = {};
    std::vector<std::int64_t> to = {};  ///< They have these offsets in the one that is written.
    int guard = -1;           ///< This entry of GuardIndices bounds the axis; -1 is no bound.
    std::int64_t extent = 0;  ///< Indices from this extent on lie outside the tensor.
    /// If true, vectors cross the border, so the copy must write zeros outside the tensor.
    bool zeroed = false;
  };
  /// Divides the innermost axis: a phase holds every `count`-th index. The elements of a phase are
  /// contiguous in the box and `from` elements apart in the input. A count of 0 means no phases.
  struct Phases {
    std::int64_t count = 0, from = 0;
  };

  std::int64_t bytes = 4;  ///< An element has 4 or 8 bytes.
  std::vector<Axis> axes;
  Phases phases;
  /// If true, the second innermost axis is contiguous in the input and evenly spaced in the box.
  bool in_patches = false;
  /// Tells whether each kSquare neighbours on the innermost axis are contiguous in input and box.
  bool in_lines = false;

  static constexpr std::size_t kSquare = 16;  ///< A cache line holds 16 f32.
};

/// Plans the copy of the elements that the iterations `box` read. The copy has the layout `packed`,
/// which vectors along `vectorised` read.
BoxCopy plan_box_copy(const Computation& computation, const TensorLayout& input,
                      const TensorLayout& packed, const Tile& box, Dim vectorised);

/// Plans the copy of the outputs that the iterations `box` write, from the tensor to a box of
/// layout `packed`. The first of GuardIndices is the index of the dim `vectorised`.
BoxCopy plan_output_copy(const Computation& computation, const TensorLayout& output,
                         const TensorLayout& packed, const Tile& box, Dim vectorised);

/// Returns the copy of the same elements from the box to the tensor.
BoxCopy reversed(BoxCopy copy);

/// Adds axes of one index in front until there are two, and sets the other fields of a copy whose
/// `bytes` and `axes` are set.
void choose_loops(BoxCopy& copy);

/// Copies a box to `to`. The first iteration of the box reads `from` and has the indices `first`.
/// Elements outside the tensor are never read; their zeros are written only for axes with `zeroed`.
void copy_box(const BoxCopy& copy, const char* from, char* to, const GuardIndices& first);

}  // namespace tileplan
