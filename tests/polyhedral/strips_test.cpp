// SPDX-License-Identifier: Apache-2.0
// This test checks how the input channels and filter columns of convolutions are divided into
// strips for dot products with vectors and with AMX tiles. One instruction multiplies and adds a
// strip.
#include "strips.h"

#include <doctest/doctest.h>

#include "computation.h"

using namespace tileplan;

namespace {

const VectorUnit kVectors{.dots = {.integers = true, .bf16 = true}};
const VectorUnit kTiles{.isa = Isa::amx, .dots = {.integers = true, .bf16 = true}, .registers = 8};

Computation strips_of(const char* text, const VectorUnit& unit) {
  const Problem problem = parse_problem(text);
  return in_strips(computation_of(problem), loop_types(types_of(problem), unit));
}

std::int64_t extent_of(const Computation& computation, const char* dim) {
  return computation.extent(computation.dim(dim));
}

}  // namespace

TEST_CASE("strips: a depthwise 3x3 filter in bytes reads single elements in 9 steps") {
  const char* const text = "--dt=u8:s8:s32 g64mb1ic64oc64ih14oh14kh3ph1";
  const Computation strips = strips_of(text, kVectors);
  CHECK(extent_of(strips, "r") == 3);
  CHECK(extent_of(strips, "s") == 3);
  CHECK(extent_of(strips, "c") == 1);
  CHECK(strips.products == 4);
  const TensorAccess& input = strips.tensor(Operand::input);
  CHECK(input.element_bytes() == 1);
  CHECK_FALSE(input.copied);
  CHECK(strips.tensor(Operand::weights).element_bytes() == 4);
}

TEST_CASE("strips: without conversions in registers, a depthwise 3x3 filter takes 3 steps of 3") {
  VectorUnit unit = kVectors;
  unit.dots.fused_conversions = false;
  const Computation strips = strips_of("--dt=u8:s8:s32 g64mb1ic64oc64ih14oh14kh3ph1", unit);
  CHECK(extent_of(strips, "r") == 3);
  CHECK(extent_of(strips, "s") == 1);
  const TensorAccess& input = strips.tensor(Operand::input);
  CHECK(input.element_bytes() == 4);
  CHECK(input.copied);
}

TEST_CASE("strips: a 3x3 filter of one channel in bytes takes 3 steps, one for each row") {
  const char* const text = "--dt=u8:s8:s32 mb1ic1oc64ih14oh14kh3ph1";
  const Computation strips = strips_of(text, kVectors);
  CHECK(extent_of(strips, "r") == 3);
  CHECK(extent_of(strips, "s") == 1);
  CHECK(extent_of(strips, "c") == 1);
  CHECK(strips.products == 4);
  // For each column of the output, the copy of the input has three columns of the input side by
  // side, with zeros in the padding.
  const DataDim& columns = strips.tensor(Operand::input).data.back();
  CHECK(columns.extent == 14);
  CHECK_FALSE(columns.clipped);
  const Computation elements = computation_of(parse_problem(text));
  CHECK(joined_taps(elements, strips) == elements.dim("s"));
}

TEST_CASE("strips: columns are joined only where a quarter of the steps is saved") {
  const char* const text = "--dt=u8:s8:s32 mb1ic3ih224oc64oh112kh7sh2ph3";
  // With vectors, joining would need 6 strips for the 21 elements of a filter row instead of 7
  // strips of 3 elements, which saves less than a quarter.
  const Computation vectors = strips_of(text, kVectors);
  CHECK(extent_of(vectors, "s") == 7);
  CHECK_FALSE(joined_taps(computation_of(parse_problem(text)), vectors));
  const Computation tiles = strips_of(text, kTiles);
  CHECK(extent_of(tiles, "s") == 1);
  CHECK(extent_of(tiles, "c") == 1);
  CHECK(tiles.products == 24);
}

TEST_CASE("strips: tiles read rows with zeros at both ends") {
  const Computation tiles = strips_of("--dt=bf16 mb1ic64ih56oc64oh56kh3ph1", kTiles);
  const DataDim& columns = tiles.tensor(Operand::input).data.back();
  CHECK(columns.extent == 58);
  CHECK(columns.offset == 0);
  CHECK_FALSE(columns.clipped);
  CHECK(tiles.tensor(Operand::input).copied);
  CHECK(extent_of(tiles, "c") == 2);
}

TEST_CASE("strips: strips of tiles fit the channels") {
  const LoopTypes bytes = loop_types(parse_types("u8:s8:s32"), kTiles);
  CHECK(fitted_strip(bytes, 256) == 64);
  CHECK(fitted_strip(bytes, 96) == 48);
  CHECK(fitted_strip(bytes, 3) == 4);
  CHECK(fitted_strip(loop_types(parse_types("bf16"), kTiles), 33) == 18);
}
