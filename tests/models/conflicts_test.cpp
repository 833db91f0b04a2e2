// SPDX-License-Identifier: Apache-2.0
// This test compares the conflicts of the lines of register tiles, stores and weights in the sets
// of a cache, and the shares of stores that are scattered or cross lines, with numbers computed by
// hand.
#include "conflicts.h"

#include <doctest/doctest.h>

#include <string>

#include "close_to.h"
#include "random_computation.h"

using namespace tileplan;

TEST_CASE("conflicts: pixels a multiple of 4096 bytes apart overflow their set of L1") {
  CacheLevel l1;
  l1.capacity_bytes = 32768;
  const auto lines = [&](std::int64_t channels, int pixels) {
    const Computation conv = toy::conv({.k = 32, .c = channels, .w = 28});
    const std::string text =
        "[R(w), R(c), U(" + std::to_string(pixels) + ",w), U(2,k), V(k)] in=nhwc out=nhwc";
    return conflict_lines(conv, resolve(parse_schedule(text), conv, 16),
                          layout_of(conv, Operand::input, Layout::nhwc), l1);
  };
  // The pixels take 14 cache lines of one set, and 6 of these do not fit in 8 ways. In each of two
  // calls, the 6 cache lines miss in all 1024 steps instead of once per cache line of channels (64
  // times).
  CHECK(lines(1024, 14) == 2 * 6 * (1024 - 64));
  CHECK(lines(1024, 7) == 0);
  CHECK(lines(1040, 14) == 0);
  // Pixels 2048 bytes apart share two sets. Each set gets 7 cache lines, which fit in 8 ways.
  CHECK(lines(512, 14) == 0);
}

TEST_CASE("conflicts: pixels that share lines do not crowd") {
  CacheLevel l1;
  l1.capacity_bytes = 32768;
  const Computation conv = toy::conv({.k = 32, .c = 1024, .w = 28});
  const Nest nest = resolve(parse_schedule("[R(w), R(c), U(14,w), U(2,k), V(k)]"), conv, 16);
  // In nchw, 14 neighbouring pixels lie in at most two cache lines.
  CHECK(conflict_lines(conv, nest, layout_of(conv, Operand::input, Layout::nchw), l1) == 0);
}

TEST_CASE("conflicts: lines that each step leaves behind are not fetched again") {
  CacheLevel l1;
  l1.capacity_bytes = 32768;
  // All 14 rows of 1024 floats start in one set, and each cache line holds one channel.
  const Computation conv = toy::conv({.k = 32, .c = 64, .h = 14, .w = 1024});
  const Nest nest = resolve(parse_schedule("[R(w), R(c), U(14,h), U(2,k), V(k)]"), conv, 16);
  CHECK(conflict_lines(conv, nest, layout_of(conv, Operand::input, Layout::nchw), l1) == 0);
}

TEST_CASE("conflicts: calls scatter stores in parts of lines and at one place of pages") {
  Machine machine{.caches = {{.capacity_bytes = 32768}}};
  machine.vector.lanes = 8;
  const auto share = [&](std::int64_t columns, const std::string& loops) {
    const Computation gemm = toy::gemm({.i = 12, .j = columns, .k = 2});
    return scattered_stores(gemm, resolve(parse_schedule(loops), gemm, 8),
                            layout_of(gemm, Operand::output, Layout::plain), machine);
  };
  CHECK(share(1040, "[R(j), R(i), R(k), U(4,i), U(2,j), V(j)]") == 0);
  CHECK(share(1024, "[R(j), R(i), R(k), U(4,i), U(2,j), V(j)]") == 1);
  CHECK(share(1024, "[R(i), R(j), R(k), U(2,j), V(j)]") == 0);
  CHECK(share(1040, "[R(j), R(i), R(k), U(4,i), V(j)]") == 1);
  // Calls of one row fill one line and scatter nothing. Calls of 11 rows write lines at the same
  // position of different pages.
  CHECK(share(1024, "[R(j), L(i,[1*1,1*11]), R(k), U(i), U(2,j), V(j)]") == close_to(11.0 / 12));
  // Every second row begins in the middle of a line.
  CHECK(share(1032, "[L(j,[64*2,1*1]), R(i), R(k), U(4,i), U(j), V(j)]") == 1);
}

TEST_CASE("conflicts: stores in flight overflow sets that their rows share") {
  Machine machine{.caches = {{.capacity_bytes = 32768}}};
  machine.vector.lanes = 16;
  const auto share = [&](std::int64_t columns, const std::string& loops) {
    const Computation gemm = toy::gemm({.i = 128, .j = columns, .k = 2});
    return conflicting_stores(gemm, resolve(parse_schedule(loops), gemm, 16),
                              layout_of(gemm, Operand::output, Layout::plain), machine);
  };
  const std::string rows_first = "[R(j), R(i), R(k), U(4,i), V(j)]";
  // All 64 stores in flight are vectors in one set. With 512, 256 and 128 columns, 32 lie in each
  // of two sets, 16 in each of four, and 8 in each of eight.
  CHECK(share(1024, rows_first) == close_to(1));
  CHECK(share(512, rows_first) == close_to(48.0 / 56));
  CHECK(share(256, rows_first) == close_to(32.0 / 56));
  CHECK(share(128, rows_first) == 0);
  CHECK(share(1040, rows_first) == 0);
  // The 64 stores in flight are 16 neighbouring vectors of each of 4 rows, which lie in 16 sets.
  CHECK(share(1024, "[R(i), R(j), R(k), U(4,i), V(j)]") == 0);
}

TEST_CASE("conflicts: vectors of rows that do not begin at cache lines lie in two of them") {
  CacheLevel l1;
  l1.capacity_bytes = 32768;
  Machine machine;
  machine.caches = {l1};
  const auto share = [&](std::int64_t columns, int lanes) {
    machine.vector.lanes = lanes;
    const Computation gemm = toy::gemm({.i = 128, .j = columns, .k = 2});
    return split_stores(gemm, resolve(parse_schedule("[R(i), R(j), R(k), V(j)]"), gemm, lanes),
                        layout_of(gemm, Operand::output, Layout::plain), machine);
  };
  CHECK(share(416, 16) == 0);
  CHECK(share(408, 16) == close_to(8.0 / 16));
  CHECK(share(407, 16) == close_to(15.0 / 16));
  // A vector of 8 floats can begin at 16 positions of a cache line. From 7 of these positions, it
  // crosses into the next line.
  CHECK(share(407, 8) == close_to(7.0 / 16));
  CHECK(share(408, 8) == 0);
}

TEST_CASE("conflicts: rows of weights at one place of their pages evict each other by chance") {
  CacheLevel l2;
  l2.capacity_bytes = 2 << 20;
  l2.ways = 16;
  const auto share = [&](std::int64_t rows, std::int64_t columns) {
    const Computation gemm = toy::gemm({.i = 4, .j = columns, .k = rows});
    Tile box;
    box[gemm.dim("b")] = 1;
    box[gemm.dim("i")] = 4;
    box[gemm.dim("j")] = 16;
    box[gemm.dim("k")] = rows;
    return evicted_share(gemm, layout_of(gemm, Operand::weights, Layout::plain), box, l2);
  };
  // 512 lines at one position of the pages share 32 sets of 16 ways, so that a set has 16 lines on
  // average. The probability that at least 16 others are in the set of a given line is
  // 1 - sum_(x < 16) e^-16 16^x / x! = 0.533.
  CHECK(share(512, 1024) == close_to(0.533).epsilon(0.001));
  CHECK(share(256, 1024) == close_to(0.008).epsilon(0.05));
  CHECK(share(16, 1024) == 0);
  CHECK(share(4096, 1024) == close_to(1));
  // Rows that are one line long and contiguous use all positions of a page.
  CHECK(share(512, 16) == 0);
  // A hash spreads the lines over all 2048 sets.
  l2.hashed = true;
  CHECK(share(512, 1024) == 0);
}
