// SPDX-License-Identifier: Apache-2.0
// This test compares footprints and numbers of cache lines with values computed by hand and with
// enumeration.
#include "footprint.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "close_to.h"
#include "oracle.h"
#include "random_computation.h"

namespace tileplan {
namespace {

constexpr Dim kX{0}, kY{1}, kZ{2};

DataDim window(std::int64_t stride, std::int64_t dilation) {
  return {.terms = {{kX, stride}, {kY, dilation}}};
}

Tile sizes(std::int64_t x, std::int64_t y = 1, std::int64_t z = 1) {
  Tile tile{};
  tile[kX] = x;
  tile[kY] = y;
  tile[kZ] = z;
  return tile;
}

PerDim<double> real(const Tile& tile) {
  PerDim<double> result{};
  for (std::size_t d = 0; d < result.values.size(); ++d)
    result.values[d] = static_cast<double>(tile.values[d]);
  return result;
}

std::int64_t enumerated(const DataDim& data, const Tile& tile) {
  std::set<std::int64_t> values = {0};
  for (const Term& term : data.terms) {
    std::set<std::int64_t> sums;
    for (const std::int64_t value : values)
      for (std::int64_t step = 0; step < tile[term.dim]; ++step)
        sums.insert(value + step * term.coefficient);
    values = sums;
  }
  return static_cast<std::int64_t>(values.size());
}

TEST_CASE("card: windows with stride, dilation and holes have the values counted by hand") {
  CHECK(card(window(2, 1), sizes(7, 3)) == 15);
  CHECK(card(window(2, 1), sizes(7, 1)) == 7);
  CHECK(card(window(4, 1), sizes(7, 3)) == 21);
  CHECK(card(window(1, 2), sizes(7, 3)) == 11);
  CHECK(card(window(1, 2), sizes(1, 3)) == 3);
  CHECK(card(window(2, 2), sizes(7, 3)) == 9);
  CHECK(card(window(3, 2), sizes(5, 3)) == 15);
  CHECK(card(window(3, 2), sizes(2, 2)) == 4);
}

TEST_CASE("card: one iterator has its size, no iterator one value, an empty box none") {
  CHECK(card(DataDim{.terms = {{kX, 4}}}, sizes(7)) == 7);
  CHECK(card(DataDim{}, sizes(7)) == 1);
  CHECK(card(window(2, 1), sizes(0, 3)) == 0);
  CHECK(card(DataDim{.terms = {{kX, 8}, {kY, 2}, {kZ, 1}}}, sizes(2, 0, 2)) == 0);
}

TEST_CASE("card: a split row index x = 8a + 2b + c covers its 16 values once") {
  const DataDim split{.terms = {{kX, 8}, {kY, 2}, {kZ, 1}}};
  CHECK(card(split, sizes(2, 4, 2)) == 16);
  CHECK(card(split, sizes(2, 3, 2)) == 12);
  CHECK(card(split, sizes(3, 3, 1)) == 9);
}

TEST_CASE("card: one to three iterators of either sign equal enumeration") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    DataDim data;
    const std::int64_t terms = toy::uniform(random, 1, 3);
    for (std::int64_t t = 0; t < terms; ++t) {
      const std::int64_t sign = toy::uniform(random, 0, 1) == 0 ? -1 : 1;
      data.terms.push_back({Dim{static_cast<int>(t)}, sign * toy::uniform(random, 1, 9)});
    }
    const Tile tile =
        sizes(toy::uniform(random, 1, 7), toy::uniform(random, 1, 7), toy::uniform(random, 1, 7));
    const std::int64_t expected = enumerated(data, tile);
    CHECK(card(data, tile) == expected);
    if (terms < 3) CHECK(card(data, real(tile)) == static_cast<double>(expected));
    if (terms == 3) CHECK(card(data, real(tile)) >= static_cast<double>(expected));
  }
}

TEST_CASE("card: real sizes are nondecreasing, concave and sub-additive in each size") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    const DataDim data = window(toy::uniform(random, 1, 4), toy::uniform(random, 1, 4));
    std::uniform_real_distribution<double> size(1, 20), step(0.1, 5);
    PerDim<double> low{}, middle{}, high{};
    low[kY] = middle[kY] = high[kY] = size(random);
    low[kX] = size(random);
    const double by = step(random);
    middle[kX] = low[kX] + by;
    high[kX] = low[kX] + 2 * by;
    CHECK(card(data, low) <= card(data, middle) + 1e-9);
    CHECK(card(data, low) + card(data, high) <= 2 * card(data, middle) + 1e-9);
    CHECK(card(data, high) / high[kX] <= card(data, low) / low[kX] + 1e-9);
  }
}

TEST_CASE("footprint: a 16-channel 7x14 tile of a 3x3 convolution touches 8x9x14 inputs") {
  const Computation conv = toy::conv({.n = 2, .k = 64, .c = 32, .h = 28, .w = 28, .r = 3, .s = 3});
  const Tile tile = toy::tile(conv, {{"k", 16}, {"c", 8}, {"h", 7}, {"w", 14}, {"r", 3}});
  CHECK(footprint(conv.tensors[0], tile) == 1008);
  CHECK(footprint(conv.tensors[1], tile) == 384);
  CHECK(footprint(conv.tensors[2], tile) == 1568);
  CHECK(footprint(conv.tensors[0], real(tile)) == 1008.0);
}

TEST_CASE("footprint: equals point enumeration for random boxes of every operator") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    const Computation computation =
        toy::random_computation(static_cast<int>(seed % toy::kOperatorKinds), random);
    const Tile tile = toy::random_tile(computation, false, random);
    for (int t = 0; t < kOperands; ++t) {
      const TensorAccess& tensor = computation.tensors[static_cast<std::size_t>(t)];
      const auto points = oracle::touched(computation, t, {.first = {}, .size = tile});
      CHECK(footprint(tensor, tile) == static_cast<std::int64_t>(points.size()));
    }
  }
}

TEST_CASE("present_dims: the input of a convolution lacks k, the weights n h w, the output c r s") {
  const Computation conv = toy::conv({});
  // From the highest to the lowest, the bits stand for the dimensions s r w h c k g n.
  CHECK(present_dims(conv.tensors[0]) == 0b11111011);
  CHECK(present_dims(conv.tensors[1]) == 0b11001110);
  CHECK(present_dims(conv.tensors[2]) == 0b00110111);
}

TEST_CASE("extent_of: seven outputs of stride 2 under a 3-tap filter reach over 15 inputs") {
  CHECK(extent_of(window(2, 1), sizes(7, 3)) == 15);
  CHECK(extent_of(window(4, 1), sizes(7, 3)) == 27);
  CHECK(extent_of(window(-4, 1), sizes(7, 3)) == 27);
}

TEST_CASE("lines: runs at a random offset have the expected lines of (L1)") {
  CHECK(expected_lines(64, 64, 16) == close_to(79.0 / 16));
  CHECK(expected_lines(10, 8 * 9 + 1, 16) == close_to(5.5));
  CHECK(expected_lines(10, 32 * 9 + 1, 16) == 10);
}

TEST_CASE(
    "lines: 16 channels of 10x30 pixels are 300 lines in nhwc and 450 in nchw with odd rows") {
  const Computation conv = toy::conv({.k = 64, .c = 64, .h = 56, .w = 57, .r = 3, .s = 3});
  const Tile tile = toy::tile(conv, {{"c", 16}, {"h", 8}, {"w", 28}, {"r", 3}, {"s", 3}});
  const TensorAccess& in = conv.tensors[0];  // The dimensions of the input are n g c h w.
  CHECK(lines(in, toy::row_major(in, {0, 1, 3, 4, 2}), tile, 16) == 300);
  CHECK(lines(in, toy::row_major(in, {0, 1, 2, 3, 4}), tile, 16) == close_to(450));
}

TEST_CASE("lines: strided rows of 28 touch every line of their 55 elements, none between them") {
  const Computation conv = toy::conv({.c = 3, .h = 5, .w = 29, .stride = 2});
  const TensorAccess& in = conv.tensors[0];
  const TensorLayout nchw = toy::row_major(in, {0, 1, 2, 3, 4});
  CHECK(lines(in, nchw, toy::tile(conv, {{"w", 28}}), 16) == close_to(35.0 / 8));
  CHECK(lines(in, nchw, toy::tile(conv, {{"h", 4}, {"w", 28}}), 16) == close_to(35.0 / 2));
}

TEST_CASE("lines: a stride of 2 skips the lines of every other pixel") {
  const Computation conv = toy::conv({.c = 32, .h = 3, .w = 14, .stride = 2});
  const TensorAccess& in = conv.tensors[0];
  const TensorLayout nhwc = toy::row_major(in, {0, 1, 3, 4, 2});
  // Each of the 14 pixels takes two cache lines. All 27 pixels of the range would take 54.
  CHECK(lines(in, nhwc, toy::tile(conv, {{"c", 32}, {"w", 14}}), 16) == 28);
}

TEST_CASE("lines: an index that starts at -1 leaves the line boundaries") {
  Computation gemm = toy::gemm({.i = 4, .k = 64});
  TensorAccess& a = gemm.tensors[0];
  const TensorLayout layout = toy::row_major(a, {0, 1, 2});
  const Tile tile = toy::tile(gemm, {{"k", 16}});
  CHECK(lines(a, layout, tile, 16) == 1);
  a.data[2].offset = -1;
  CHECK(lines(a, layout, tile, 16) == close_to(31.0 / 16));
}

TEST_CASE("lines: tiles that span whole contiguous dims are one run") {
  const Computation conv = toy::conv({.c = 3, .h = 6, .w = 10});
  const TensorAccess& in = conv.tensors[0];
  const TensorLayout nhwc = toy::row_major(in, {0, 1, 3, 4, 2});
  // Tiles of 4 rows of 10 x 3 elements begin at multiples of 7.5 cache lines.
  const Tile rows = toy::tile(conv, {{"c", 3}, {"h", 4}, {"w", 10}});
  CHECK(lines(in, nhwc, rows, 16) == close_to(135.0 / 16));
  // The whole tensor begins on a cache line and takes ceil(180 / 16) cache lines.
  CHECK(lines(in, nhwc, toy::whole(conv), 16) == 12);
}

TEST_CASE("lines: one channel of three still walks over all lines of its pixels") {
  const Computation conv = toy::conv({.c = 3, .h = 6, .w = 32});
  const TensorAccess& in = conv.tensors[0];
  const TensorLayout nhwc = toy::row_major(in, {0, 1, 3, 4, 2});
  const Tile tile = toy::tile(conv, {{"w", 16}});
  // The 16 pixels, which are 3 elements apart, span 46 elements.
  CHECK(lines(in, nhwc, tile, 16) == close_to(61.0 / 16));
}

/// Returns the layout that stores the input of `conv` in blocks of `block` channels.
TensorLayout blocked_input(const Computation& conv, std::int64_t block) {
  const TensorAccess& in = conv.tensors[0];
  const std::int64_t rows = in.data[3].extent, columns = in.data[4].extent;
  TensorLayout layout = toy::row_major(in, {0, 1, 2, 3, 4});
  layout.axes[2] = {.stride = 1, .block = block, .outer = block * rows * columns};
  layout.axes[3].stride = block * columns;
  layout.axes[4].stride = block;
  return layout;
}

TEST_CASE("lines: blocks of 16 channels are whole lines, half blocks half-used ones") {
  const Computation conv = toy::conv({.c = 64, .h = 8, .w = 8});
  const TensorAccess& in = conv.tensors[0];
  const TensorLayout blocked = blocked_input(conv, 16);
  CHECK(lines(in, blocked, toy::tile(conv, {{"c", 32}, {"h", 3}, {"w", 5}}), 16) == 30);
  CHECK(lines(in, blocked, toy::tile(conv, {{"c", 16}, {"h", 1}, {"w", 8}}), 16) == 8);
  // Half blocks of 5 pixels are 5 runs of 8 elements. The runs start 16 elements apart and span 72.
  CHECK(lines(in, blocked, toy::tile(conv, {{"c", 8}, {"h", 3}, {"w", 5}}), 16) ==
        close_to(3 * 87.0 / 16));
}

TEST_CASE("lines: blocks of 8 channels start half-way through lines of 16 when planes are odd") {
  const Computation conv = toy::conv({.c = 32, .h = 5, .w = 5});
  const Tile plane = toy::tile(conv, {{"c", 8}, {"h", 5}, {"w", 5}});
  CHECK(lines(conv.tensors[0], blocked_input(conv, 8), plane, 16) == close_to(215.0 / 16));
}

TEST_CASE("lines: steps of 2 stay in one phase of a packed row, windows reach over both") {
  const Computation conv = toy::conv({.c = 3, .w = 40, .s = 5, .stride = 2});
  const TensorAccess& in = conv.tensors[0];
  TensorLayout packed = toy::row_major(in, {0, 1, 2, 3, 4});
  packed.axes[4] = {.stride = 42, .block = 2, .outer = 1};  // Odd indices follow the even indices.
  packed.axes[2].stride = 84;
  CHECK(lines(in, packed, toy::tile(conv, {{"w", 8}}), 16) == close_to(23.0 / 16));
  CHECK(lines(in, packed, toy::tile(conv, {{"w", 8}, {"c", 3}}), 16) == close_to(3 * 23.0 / 16));
  CHECK(lines(in, packed, toy::tile(conv, {{"w", 8}, {"s", 5}}), 16) == close_to(2 * 25.0 / 16));
}

TEST_CASE("lines in a row: pixels of one block follow each other, those of nhwc do not") {
  const Computation conv = toy::conv({.c = 64, .h = 2, .w = 10});
  const TensorAccess& in = conv.tensors[0];
  const Tile pixels = toy::tile(conv, {{"c", 16}, {"w", 10}});
  CHECK(lines_in_a_row(in, blocked_input(conv, 16), pixels, 16) == 10);
  const TensorLayout nhwc = toy::row_major(in, {0, 1, 3, 4, 2});
  CHECK(lines_in_a_row(in, nhwc, pixels, 16) == 1);
  CHECK(lines_in_a_row(in, nhwc, toy::tile(conv, {{"c", 64}, {"w", 10}}), 16) == 40);
}

TEST_CASE("lines in sets: every line of the box is in the set of its address") {
  const Computation conv = toy::conv({.c = 512, .h = 3, .w = 16});
  const TensorAccess& in = conv.tensors[0];
  const TensorLayout nhwc = toy::row_major(in, {0, 1, 3, 4, 2});
  // Pixels are 32 cache lines apart, and rows are 512 apart.
  const Tile pixels = toy::tile(conv, {{"c", 16}, {"w", 16}});
  std::vector<std::int64_t> expected(64, 0);
  expected[0] = expected[32] = 8;
  CHECK(lines_in_sets(in, nhwc, pixels, 16, 64) == expected);
  expected[0] = expected[32] = 24;
  CHECK(lines_in_sets(in, nhwc, toy::tile(conv, {{"c", 16}, {"h", 3}, {"w", 16}}), 16, 64) ==
        expected);
  CHECK(lines_in_sets(in, nhwc, toy::tile(conv, {{"c", 512}, {"w", 4}}), 16, 64) ==
        std::vector<std::int64_t>(64, 2));
}

TEST_CASE("lines: windows start anywhere, their padding lies in no line") {
  Computation conv = toy::conv({.h = 4, .w = 64, .s = 3});
  TensorAccess& in = conv.tensors[0];
  in.data[4].offset = -1;  // One column of padding is on each side.
  in.data[4].extent = 64;
  const TensorLayout nchw = toy::row_major(in, {0, 1, 2, 3, 4});
  CHECK(lines(in, nchw, toy::tile(conv, {{"w", 16}}), 16) == close_to(31.0 / 16));
  CHECK(lines(in, nchw, toy::tile(conv, {{"h", 2}, {"w", 64}, {"s", 3}}), 16) == 8);
}

struct Place {
  Tile first{};
  std::int64_t start = 0;  ///< The tensor begins at this element of a cache line.
};

/// Returns the number of cache lines of `line` elements that the box of `tile` touches at `place`.
std::int64_t touched_lines(const TensorAccess& tensor, const TensorLayout& layout,
                           const Place& place, const Tile& tile, std::int64_t line) {
  std::set<std::int64_t> offsets = {place.start};
  for (std::size_t j = 0; j < tensor.data.size(); ++j) {
    const Term& term = tensor.data[j].terms[0];
    std::set<std::int64_t> sums;
    for (const std::int64_t offset : offsets)
      for (std::int64_t step = 0; step < tile[term.dim]; ++step)
        sums.insert(offset + layout.axes[j].offset(place.first[term.dim] + step));
    offsets = sums;
  }
  std::set<std::int64_t> numbers;
  for (const std::int64_t offset : offsets) numbers.insert(offset / line);
  return static_cast<std::int64_t>(numbers.size());
}

TEST_CASE("lines: dense boxes have the average over all buffer starts, or that of every tile") {
  constexpr std::int64_t kLine = 8;
  int exact = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    const auto extent = [&] { return 2 * toy::uniform(random, 1, 8); };
    const Computation gemm = toy::gemm({.b = 2, .i = extent(), .k = extent()});
    const TensorAccess& a = gemm.tensors[0];
    TensorLayout layout = toy::row_major(a, {0, 1, 2});
    layout.axes[1].stride += 2 * toy::uniform(random, 0, 3);  // A gap may separate the rows.
    layout.axes[0].stride = layout.axes[1].stride * gemm.extent(Dim{1});
    const Tile tile = toy::random_tile(gemm, true, random);
    const double modelled = lines(a, layout, tile, static_cast<double>(kLine));
    double average = 0;
    for (std::int64_t start = 0; start < kLine; ++start)
      average += static_cast<double>(touched_lines(a, layout, {{}, start}, tile, kLine)) / kLine;
    bool same_everywhere = true;
    const auto walk = oracle::tiles(oracle::domain(gemm), {Dim{0}, Dim{1}, Dim{3}}, tile);
    for (const auto& box : walk)
      same_everywhere = same_everywhere && modelled == static_cast<double>(touched_lines(
                                                           a, layout, {box.first, 0}, tile, kLine));
    exact += same_everywhere;
    CHECK((same_everywhere || std::abs(modelled - average) < 1e-9));
  }
  CHECK(exact > 30);
  CHECK(exact < 270);
}

}  // namespace
}  // namespace tileplan
