// SPDX-License-Identifier: Apache-2.0
// pack=in@POS: the input box inside one loop, copied to where its tiles lie at unit stride.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "computation.h"
#include "nest.h"

namespace tileplan {

/// Data dims of the input whose indices can leave the array: d, y, x, and that of vectors of
/// pixels.
constexpr int kMaxGuards = 4;

/// True when indices of `data`, of the input, can leave the array: into the padding, or beyond its
/// end in the last vector of pixels.
bool is_guarded(const Computation& computation, const DataDim& data, Dim vectorised);

/// Index of each guarded data dim, padding negative.
using GuardIndices = std::array<std::int64_t, kMaxGuards>;

/// Number of loops of `nest` that stand outside a box packed inside loop `position` (0 =
/// outermost); loops of one trip below it aside. Throws Error when `position` is not a loop, or
/// when reduction loops directly around the register tile are among them: those are one call of the
/// microkernel.
std::size_t loops_outside_box(const Computation& computation, const Nest& nest, int position);

/// The iterations of one packed box. Requires: the parts of lambdas outside it are chosen.
Tile packed_box(const Computation& computation, const Nest& nest, std::size_t outside);

/// One data dim of the input over a packed box: the multiples 0 .. (count - 1) of `gap`.
struct BoxAxis {
  std::size_t data = 0;    ///< number of the data dim
  std::int64_t gap = 1;    ///< between indices that may occur
  std::int64_t count = 1;  ///< from the smallest to the largest
  std::int64_t pitch = 1;  ///< elements between neighbours in the box
};

/// The data dims as they lie in a box of layout `packed` over the iterations `box`, outermost
/// first.
std::vector<BoxAxis> box_axes(const Computation& computation, const TensorLayout& packed,
                              const Tile& box);

/// How one box is copied: every value that occurs of every index, outermost first as they lie in
/// the box.
struct BoxCopy {
  struct Axis {
    std::vector<std::int64_t> index;  ///< values, ascending, relative to the first
    std::vector<std::int64_t> from;   ///< elements in the input, relative to the first
    std::vector<std::int64_t> to;     ///< elements in the box
    int guard = -1;                   ///< number among the guarded data dims; -1: never outside
    std::int64_t extent = 0;          ///< of the array, for guards
    bool zeroed = false;              ///< vectors lie across the border: zeros outside the array
  };
  /// Every `count`-th value of the innermost axis.
  struct Phases {
    std::int64_t count = 0;
    std::int64_t from = 0;  ///< elements in the input from one value of a phase to the next
  };

  std::vector<Axis> axes;
  /// Phases whose values are neighbours in the box and at equal distances in the input; count 0:
  /// there are none.
  Phases phases;
  /// The values of the last axis but one are neighbours in the input and at equal distances in the
  /// box.
  bool in_patches = false;
  /// Every kSquare values of the innermost axis are neighbours in the input and in the box.
  bool in_lines = false;

  static constexpr std::size_t kSquare = 16;  ///< elements: one cache line of f32, two of f64
};

/// `packed`: the layout of boxes that vectors along `vectorised` read.
BoxCopy box_copy(const Computation& computation, const TensorLayout& input,
                 const TensorLayout& packed, const Tile& box, Dim vectorised);

/// Where a copy reads and writes elements of `type`.
struct CopyEnds {
  ElementType type = ElementType::f32;
  const char* from = nullptr;
  char* to = nullptr;
};

/// Copies the box whose first iteration reads `ends.from` and has the indices `first`. Elements in
/// the padding are not read, and written (zero) only where vectors of pixels lie across its border.
void copy_box(const BoxCopy& copy, const CopyEnds& ends, const GuardIndices& first);

}  // namespace tileplan
