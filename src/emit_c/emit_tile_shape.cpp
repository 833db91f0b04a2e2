// SPDX-License-Identifier: Apache-2.0
// This file computes the offsets of a register tile, which are constants, and writes tests for
// padding.
#include "emit_tile_shape.h"

#include <algorithm>

#include "packed_box.h"

namespace tileplan {

EmittedTile shape_of(const EmitContext& context, const Tile& base) {
  const Dim vectorised = context.program.vectorised;
  std::vector<Repeat> loops;
  for (int d = 0; d < context.computation.dims(); ++d)
    if (Dim{d} != vectorised && context.computation.role(Dim{d}) != Role::reduction)
      loops.push_back({Dim{d}, base[Dim{d}], 1});
  EmittedTile shape{.vectors = base[vectorised] / context.lanes,
                    .row = base[context.program.weights.blocked],
                    .pixels = points(loops)};
  const auto offset = [&](Operand operand, const Tile& pixel) {
    return offset_distance(context.tensor(operand), context.place(operand).in_calls(), pixel);
  };
  for (const Tile& pixel : shape.pixels) {
    shape.input_offsets.push_back(offset(Operand::input, pixel));
    shape.output_offsets.push_back(offset(Operand::output, pixel));
  }
  return shape;
}

PaddingTests padding_tests(const EmitContext& context, const EmittedTile& tile,
                           const std::vector<Repeat>& loops) {
  PaddingTests padding{.tests = {}, .counts_padding = context.flips_input()};
  for (const DataDim& data : context.tensor(Operand::input).data) {
    // Packed boxes hold zeros for the padding along the dimension of the vectors, so no test is
    // needed.
    if (!data.clipped || is_present(data, context.program.vectorised)) continue;
    std::vector<std::int64_t> pixels;
    for (const Tile& pixel : tile.pixels) pixels.push_back(index_distance(data, pixel));
    const auto [low, high] = std::ranges::minmax(pixels);
    padding.tests.push_back({&data, std::move(pixels), low, high});
    for (std::size_t i = 0; i < loops.size(); ++i)
      if (is_present(data, loops[i].dim))
        padding.first_inside = std::max(padding.first_inside, i + 1);
  }
  return padding;
}

std::string inside_all_text(const RangeTest& test, const Indices& at) {
  LinearText low = index_text(*test.data, at, {}), high = low;
  low.add(test.low);
  high.add(test.high);
  return low.text() + " >= 0 && " + high.text() + " < " + std::to_string(test.data->extent);
}

std::string inside_pixel_text(const PaddingTests& padding, std::size_t pixel, const Indices& at) {
  std::string all;
  for (const RangeTest& test : padding.tests) {
    if (padding.skips(test)) continue;
    LinearText index = index_text(*test.data, at, {});
    index.add(test.pixels[pixel]);
    add_condition(all, inside_text(index, test.data->extent));
  }
  return all;
}

}  // namespace tileplan
