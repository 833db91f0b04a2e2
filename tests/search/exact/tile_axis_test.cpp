// SPDX-License-Identifier: Apache-2.0
// This test checks which tiles a dimension has and which of them may lie inside others. It also
// checks the volumes of uneven splits.
#include "tile_axis.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "close_to.h"
#include "footprint.h"
#include "small_machine.h"
#include "tile_cost_table.h"

namespace tileplan {
namespace {

std::string text(const Blocks& blocks) {
  const auto part = [](const Part& each) {
    return std::to_string(each.times) + "*" + std::to_string(each.size);
  };
  return part(blocks.large) + (blocks.is_uneven() ? "," + part(blocks.small) : "");
}

/// Returns the texts of the tiles in `list`, largest first.
std::string texts(const TileAxis& axis, const TileList& list) {
  std::string all;
  for (auto i = list.positions.rbegin(); i != list.positions.rend(); ++i)
    all += text(axis.blocks[static_cast<std::size_t>(*i)]) + " ";
  return all;
}

TileAxis axis_of(std::int64_t base, std::int64_t extent) {
  return tile_axis(Dim{0}, base, extent, Splits::uneven);
}

std::size_t position(const TileAxis& axis, const std::string& blocks) {
  std::size_t i = 0;
  while (text(axis.blocks.at(i)) != blocks) ++i;
  return i;
}

}  // namespace

TEST_CASE("blocks_of: 68 rows by 4 in 5 blocks are 2 of 16 and 3 of 12, in 17 they are equal") {
  CHECK(text(blocks_of(68, 4, 5)) == "2*16,3*12");
  CHECK(text(blocks_of(68, 4, 17)) == "17*4");
  CHECK(text(uneven_blocks(68, 16, 4)) == "2*16,3*12");
}

TEST_CASE("is_coarse: 17 = 17 * 1 and 34 are, 12 and powers of two are not") {
  CHECK(is_coarse(17));
  CHECK(is_coarse(34));
  CHECK_FALSE(is_coarse(12));
  CHECK_FALSE(is_coarse(64));
}

TEST_CASE("tile_axis: 17 rows in as few blocks as each largest size allows") {
  const TileAxis axis = axis_of(1, 17);
  CHECK(texts(axis, axis.innermost.back()) == "1*17 1*9,1*8 2*6,1*5 1*5,3*4 2*4,3*3 5*3,1*2 1*1 ");
  CHECK(axis.tiles == 7);
  CHECK(axis.trips.back()[position(axis, "2*6,1*5")] == close_to(3));
}

TEST_CASE("tile_axis: without uneven splits, and on a dim that is not coarse, tiles divide") {
  const TileAxis equal = tile_axis(Dim{0}, 1, 17, Splits::equal);
  CHECK(texts(equal, equal.inside.back()) == "1*17 1*1 ");
  const TileAxis fine = axis_of(4, 48);
  CHECK(texts(fine, fine.inside.back()) == "1*48 1*24 1*16 1*12 1*8 1*4 ");
  CHECK(fine.innermost.empty());
}

TEST_CASE("tile_axis: of 6720 divisors 255 are tiles, the smallest and the largest among them") {
  const std::int64_t extent = 963761198400;
  const TileAxis axis = axis_of(1, extent);
  CHECK(axis.thinned);
  CHECK(axis.tiles == kMostSizes);
  CHECK(axis.sizes.front() == 1);
  CHECK(axis.sizes.back() == static_cast<double>(extent));
  // This extent has 240 divisors, few enough that none is left out.
  CHECK_FALSE(axis_of(1, 720720).thinned);
}

TEST_CASE("tile_axis: where uneven splits are too many there are none") {
  const std::int64_t extent = std::int64_t{55440} * 200003;
  const TileAxis axis = axis_of(1, extent);
  CHECK(axis.thinned);
  CHECK(axis.tiles == 240);
  CHECK(axis.innermost.empty());
}

TEST_CASE("tile_axis: an uneven split holds what divides all its blocks, and no second one") {
  const TileAxis axis = axis_of(1, 34);
  CHECK(texts(axis, axis.inside[position(axis, "1*10,3*8")]) == "1*10,3*8 1*2 1*1 ");
  CHECK(texts(axis, axis.inside[position(axis, "2*9,2*8")]) == "2*9,2*8 1*1 ");
  CHECK(texts(axis, axis.inside[position(axis, "1*9,1*8")]) == "1*9,1*8 1*1 ");
}

TEST_CASE("tile cost table: an uneven split moves what its blocks bring one after the other") {
  // With dilation, 1, 2 and 3 output rows read 3, 6 and 7 input rows.
  const Computation conv = toy::conv({.h = 17, .r = 3, .dilation = 2});
  const Tile base = toy::tile(conv, {{"r", 3}}), whole = toy::whole(conv);
  TileRange range{base, whole};
  range.splits.fill(Splits::uneven);
  const TileCostTable table(conv, range, order_classes(conv));
  const DataDim& rows = conv.tensors.front().data[3];
  const auto card_of = [&](std::int64_t h) {
    Tile tile = base;
    tile[toy::dim(conv, "h")] = h;
    return static_cast<double>(card(rows, tile));
  };
  // The blocks 5*3,1*2 load the input of 3 output rows, then four times that of 3 more, then that
  // of 2 more.
  TileIndex tile{};
  tile[0] = static_cast<std::int16_t>(position(table.axes().front(), "5*3,1*2"));
  const double input = card_of(3) + 4 * (card_of(6) - card_of(3)) + (card_of(5) - card_of(3));
  const Traffic moved = table.volume(table.nesting(tile, table.whole()), 0);
  CHECK(moved.reads - moved.writes == close_to(input + 3));
  CHECK(moved.writes == close_to(17));
  CHECK(table.footprint(tile) == card_of(3) + 3 + 3);
}

}  // namespace tileplan
