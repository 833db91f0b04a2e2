// SPDX-License-Identifier: Apache-2.0
// This file implements pack=in@POS and pack=out@POS. The option pack=in copies the elements of the
// input that one iteration of loop POS reads into a contiguous box. With pack=out, the loops inside
// loop POS write the output to a box, from which it is copied to the tensor after these loops. If
// they add to the output, it is copied into the box first.
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
    /// The indices have these offsets in the tensor that is written, in elements.
    std::vector<std::int64_t> to = {};
    /// Entry `guard` of GuardIndices is the index along the axis at which the box begins, which
    /// tells what lies outside the tensor. `guard` is -1 if the whole axis lies inside.
    int guard = -1;
    std::int64_t extent = 0;  ///< Indices from this extent on lie outside the tensor.
    /// If true, vectors may cross the border, so the copy must write zeros outside the tensor.
    bool zeroed = false;
  };
  /// Divides the innermost axis into phases, where a phase holds every `count`-th index. The
  /// elements of a phase are contiguous in the tensor that is written and `from` elements apart in
  /// the tensor that is read. A count of 0 means no phases.
  struct Phases {
    std::int64_t count = 0, from = 0;
  };

  std::int64_t bytes = 4;  ///< An element has 4 or 8 bytes.
  std::vector<Axis> axes;
  Phases phases;
  /// If true, phases.from is greater than 1, and the second innermost axis is contiguous in the
  /// tensor that is read and evenly spaced in the other, so that the copy transposes blocks.
  bool in_patches = false;
  /// If true, each group of kSquare neighbours on the innermost axis is contiguous in both tensors.
  bool in_lines = false;

  static constexpr std::size_t kSquare = 16;  ///< This is the number of f32 in a cache line.
};

/// Plans the copy of the inputs that the iterations `box` read. The copy has the layout `packed`.
/// The microkernel that reads it has vectors along `vectorised`.
BoxCopy plan_box_copy(const Computation& computation, const TensorLayout& input,
                      const TensorLayout& packed, const Tile& box, Dim vectorised);

/// Plans the copy of the outputs that the iterations `box` write, from the tensor to a box of
/// layout `packed`. Entry 0 of GuardIndices is the index along the dimension `vectorised`.
BoxCopy plan_output_copy(const Computation& computation, const TensorLayout& output,
                         const TensorLayout& packed, const Tile& box, Dim vectorised);

/// Returns the copy of the same elements in the opposite direction, for example from the box to the
/// tensor.
BoxCopy reversed(BoxCopy copy);

/// Adds axes of one index in front until there are at least two axes, and sets the fields of `copy`
/// that follow from the axes.
void choose_loops(BoxCopy& copy);

/// Copies a box to `to`. The first iteration of the box reads `from` and has the indices `first`.
/// Elements outside the tensor are never read. Zeros are written in their place only along the
/// innermost axis, if it is `zeroed`.
void copy_box(const BoxCopy& copy, const char* from, char* to, const GuardIndices& first);

}  // namespace tileplan
