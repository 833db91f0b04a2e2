// SPDX-License-Identifier: Apache-2.0
// This test compares the text of loop nests with loops written by hand.
#include "loop_nest.h"

#include <doctest/doctest.h>

using namespace tileplan;

namespace {

/// Returns the C code of a copy from operand 0 to operand 1 in the loops of `nest`.
std::string copied(LoopNest nest) {
  CWriter out;
  nest.open(out);
  out.line("out[" + nest.at(1) + "] = in[" + nest.at(0) + "];");
  nest.close(out);
  return out.text();
}

}  // namespace

TEST_CASE("loop nest: a transposition has a loop per axis") {
  LoopNest nest(2);
  nest.add(2, {3, 1});
  nest.add(3, {1, 2});
  CHECK(copied(nest) ==
        "for (int64_t i0 = 0; i0 < 2; ++i0) {\n"
        "  for (int64_t i1 = 0; i1 < 3; ++i1) {\n"
        "    out[i0 + 2 * i1] = in[3 * i0 + i1];\n"
        "  }\n"
        "}\n");
  nest.order_by(1);
  CHECK(copied(nest) ==
        "for (int64_t i0 = 0; i0 < 3; ++i0) {\n"
        "  for (int64_t i1 = 0; i1 < 2; ++i1) {\n"
        "    out[2 * i0 + i1] = in[i0 + 3 * i1];\n"
        "  }\n"
        "}\n");
}

TEST_CASE("loop nest: contiguous loops become one, and loops of one iteration vanish") {
  LoopNest nest(2);
  nest.add(1, {60, 60});
  nest.add(5, {12, 12});
  nest.add(4, {3, 3});
  nest.add(3, {1, 1});
  CHECK(copied(nest) ==
        "for (int64_t i0 = 0; i0 < 60; ++i0) {\n"
        "  out[i0] = in[i0];\n"
        "}\n");
}

TEST_CASE("loop nest: the channels of blocks become two loops") {
  // In memory, two blocks of two channels with 10 pixels lie 20 elements apart.
  LoopNest nest(2);
  nest.add_offsets({{0, 1, 20, 21}, {5, 15, 25, 35}});
  CHECK(nest.start(1) == 5);
  CHECK(copied(nest) ==
        "for (int64_t i0 = 0; i0 < 2; ++i0) {\n"
        "  for (int64_t i1 = 0; i1 < 2; ++i1) {\n"
        "    out[20 * i0 + 10 * i1 + 5] = in[20 * i0 + i1];\n"
        "  }\n"
        "}\n");
}

TEST_CASE("loop nest: an axis that is resized by two repeats each element") {
  LoopNest nest(2);
  nest.add_offsets({{0, 0, 1, 1, 2, 2}, {0, 1, 2, 3, 4, 5}});
  CHECK(copied(nest) ==
        "for (int64_t i0 = 0; i0 < 3; ++i0) {\n"
        "  for (int64_t i1 = 0; i1 < 2; ++i1) {\n"
        "    out[2 * i0 + i1] = in[i0];\n"
        "  }\n"
        "}\n");
}

TEST_CASE("loop nest: irregular offsets are read from tables, which have a limit") {
  LoopNest nest(2);
  nest.add_offsets({{7, 3, 5}, {0, 1, 2}});
  CHECK(copied(nest) ==
        "static const int64_t offsets0_0[3] = {\n"
        "    0, -4, -2,\n"
        "};\n"
        "static const int64_t offsets0_1[3] = {\n"
        "    0, 1, 2,\n"
        "};\n"
        "for (int64_t i0 = 0; i0 < 3; ++i0) {\n"
        "  out[offsets0_1[i0]] = in[offsets0_0[i0] + 7];\n"
        "}\n");
  Extents squares;
  for (std::int64_t i = 0; i <= 65536; ++i) squares.push_back(i * i);
  CHECK_THROWS_AS(nest.add_offsets({squares, squares}), NotUnderstood);
}
