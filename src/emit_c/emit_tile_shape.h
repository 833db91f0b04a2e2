// SPDX-License-Identifier: Apache-2.0
// This file describes a register tile of emitted C: the offsets of its pixels, and tests for its
// padding.
#pragma once

#include <vector>

#include "emit_index.h"

namespace tileplan {

/// Describes a test for padding along one dimension of the input. `pixels` holds the index at each
/// pixel of a tile, relative to the first pixel. `low` and `high` are the smallest and the largest
/// of them.
struct RangeTest {
  const DataDim* data = nullptr;
  std::vector<std::int64_t> pixels;
  std::int64_t low = 0, high = 0;

  bool same_for_all() const { return low == high; }
};

/// Describes one register tile. Offsets are in elements, relative to the first pixel.
struct EmittedTile {
  std::int64_t vectors = 1;  ///< Each pixel has this many vectors.
  std::int64_t row = 1;      ///< A reduction step reads this many weights.
  std::vector<Tile> pixels;
  std::vector<std::int64_t> input_offsets = {}, output_offsets = {};
};

/// Lists the tests that decide whether a tile crosses the border of the input.
struct PaddingTests {
  std::vector<RangeTest> tests;
  /// In the loops from this one inwards, no pixel moves into or out of padding.
  std::size_t first_inside = 0;
  bool counts_padding = false;  ///< If true, padding is not skipped but counts as zeros.

  /// Returns true when the code skips all pixels of a tile if `test` fails.
  bool skips(const RangeTest& test) const { return test.same_for_all() && !counts_padding; }
};

EmittedTile shape_of(const EmitContext& context, const Tile& base);

/// Returns the tests for a tile of the shape `tile` in the reduction loops `loops`.
PaddingTests padding_tests(const EmitContext& context, const EmittedTile& tile,
                           const std::vector<Repeat>& loops);

/// Returns a C condition which is true when `test` finds no pixel in padding.
std::string inside_all_text(const RangeTest& test, const Indices& at);

/// Returns a C condition which is true when no test for which skips() is false finds `pixel` in
/// padding. The code makes these tests for single pixels. The text is empty when there are none.
std::string inside_pixel_text(const PaddingTests& padding, std::size_t pixel, const Indices& at);

}  // namespace tileplan
