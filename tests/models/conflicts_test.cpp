// SPDX-License-Identifier: Apache-2.0
// These tests compare the set conflicts of register tiles with counts by hand.
#include "conflicts.h"

#include <doctest/doctest.h>

#include <string>

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
  // There are 14 cache lines, and 6 of them do not fit in 8 ways. In each of two calls, these lines
  // miss in each of 1024 steps instead of once for each of 64 cache lines along the channels.
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
  // In nchw, 14 neighbouring pixels are in one cache line.
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
