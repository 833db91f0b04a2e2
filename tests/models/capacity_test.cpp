// SPDX-License-Identifier: Apache-2.0
// This test checks which tiles fit in a cache by each rule, and how addresses fill the sets of a
// cache.
#include "capacity.h"

#include <doctest/doctest.h>

#include "movement.h"
#include "oracle.h"
#include "random_computation.h"

namespace tileplan {
namespace {

TEST_CASE("required: LRU2 holds streamed operands twice, the resident one once") {
  const Computation gemm = toy::gemm({.i = 64, .j = 64, .k = 64});
  const Tile tile = toy::tile(gemm, {{"i", 8}, {"j", 4}, {"k", 16}});
  const Dim k = toy::dim(gemm, "k");
  CHECK(required(gemm, tile, k, CapacityRule::ideal) == 8 * 16 + 16 * 4 + 8 * 4);
  CHECK(required(gemm, tile, k, CapacityRule::lru2) == 8 * 32 + 32 * 4 + 8 * 4);
  CHECK(required(gemm, tile, std::nullopt, CapacityRule::lru2) == 8 * 16 + 16 * 4 + 8 * 4);
}

TEST_CASE("required: a sliding window needs its new columns only") {
  const Computation row = toy::conv({.w = 60, .s = 3});
  const Tile tile = toy::tile(row, {{"w", 10}, {"s", 3}});
  CHECK(required(row, tile, toy::dim(row, "w"), CapacityRule::lru2) == 22 + 3 + 20);
}

TEST_CASE("required: two consecutive tiles never reach beyond the domain") {
  const Computation gemm = toy::gemm({.i = 10, .j = 4, .k = 4});
  const Tile tile = toy::tile(gemm, {{"i", 7}, {"j", 4}, {"k", 4}});
  CHECK(required(gemm, tile, toy::dim(gemm, "i"), CapacityRule::lru2) == 40 + 16 + 40);
}

TEST_CASE("whole lines: rows of a few pixels hold what lies beside them, weights do not") {
  const Computation conv = toy::conv({.k = 32, .c = 8, .h = 20, .w = 20});
  const TensorLayout nchw = toy::row_major(conv.tensors[0], {0, 1, 2, 3, 4});
  const TensorLayout nhwk = toy::row_major(conv.tensors[2], {0, 1, 3, 4, 2});
  const Tile tile = toy::tile(conv, {{"k", 16}, {"c", 8}, {"h", 3}, {"w", 4}});
  // Each of 8 x 3 rows of 4 input pixels takes (4 + 15) / 16 cache lines on average, and each of 12
  // output pixels takes one cache line.
  CHECK(whole_lines(conv, tile, {.input = nchw, .output = nhwk, .line_bytes = 64}) ==
        8 * 3 * (4 + 15) + 8 * 16 + 12 * 16);
  CHECK(whole_lines(conv, tile, {.input = nchw, .output = nhwk, .line_bytes = 4}) ==
        required(conv, tile, std::nullopt, CapacityRule::lru2));
}

TEST_CASE("crowded set: where a quarter or more of the input's lines have no way") {
  const Computation conv = toy::conv({.k = 16, .c = 512, .h = 3, .w = 16});
  const TensorLayout nhwc = toy::row_major(conv.tensors[0], {0, 1, 3, 4, 2});
  const TensorLayout nhwk = toy::row_major(conv.tensors[2], {0, 1, 3, 4, 2});
  CacheLevel l1;
  l1.capacity_bytes = 32768;
  const Storage storage = storage_in(l1, true, nhwc, nhwk);
  CHECK(storage.sets == 64);
  const auto fullest = [&](std::int64_t h, std::int64_t w, const Storage& in) {
    return crowded_set(conv, toy::tile(conv, {{"k", 16}, {"c", 16}, {"h", h}, {"w", w}}), in).lines;
  };
  // The cache lines are spread over two sets, and each set gets 8.
  CHECK(fullest(1, 16, storage) == 0);
  CHECK(fullest(3, 7, storage) == 0);   // Only 5 of 21 cache lines do not fit.
  CHECK(fullest(3, 8, storage) == 12);  // 8 of 24 cache lines do not fit.
  CHECK(fullest(3, 16, storage) == 24);
  // The 32 cache lines fall into two sets, 16 in each. With 12 ways, 8 of them do not fit, a
  // quarter, so that the sets count as crowded.
  l1.capacity_bytes = 49152, l1.ways = 12;
  CHECK(fullest(2, 16, storage_in(l1, true, nhwc, nhwk)) == 16);
  // In the second level, the position in a page determines only some bits of the set, so each
  // position stands for 8 sets.
  CacheLevel l2;
  l2.capacity_bytes = 262144;
  CHECK(fullest(3, 16, storage_in(l2, false, nhwc, nhwk)) == 0);
  // A small second level is as crowded as the first, unless a hash spreads the lines over its sets.
  l2.capacity_bytes = 32768;
  CHECK(fullest(3, 16, storage_in(l2, false, nhwc, nhwk)) == 24);
  l2.hashed = true;
  CHECK(fullest(3, 16, storage_in(l2, false, nhwc, nhwk)) == 0);
}

TEST_CASE(
    "required: LRU caches of that size miss at most the modelled volume while one loop walks") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    toy::Random random(seed);
    const Computation computation =
        toy::random_computation(static_cast<int>(seed % toy::kOperatorKinds), random);
    const Dim next{static_cast<int>(toy::uniform(random, 0, computation.dims() - 1))};
    Tile tile = toy::whole(computation);
    tile[next] = toy::uniform(random, 1, tile[next]);
    const LoopOrder order = {next};
    const auto accesses =
        oracle::accesses(computation, oracle::tiles(oracle::domain(computation), order, tile),
                         toy::random_order(computation, random));
    const auto moved = volumes(computation, order, tile, toy::whole(computation)).values;
    CHECK(oracle::lru_misses(accesses, required(computation, tile, next, CapacityRule::lru2)) <=
          moved[0] + moved[1] + moved[2]);
  }
}

/// Returns the byte addresses of the cache lines of `rows` rows of `row_bytes` bytes that begin
/// `leading` bytes apart.
std::vector<std::int64_t> rows_of(std::int64_t rows, std::int64_t row_bytes, std::int64_t leading) {
  std::vector<std::int64_t> lines;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t byte = 0; byte < row_bytes; byte += 64) lines.push_back(row * leading + byte);
  return lines;
}

TEST_CASE("overflowing_lines: rows a page apart pile up in two sets, a line more spreads them") {
  CHECK(overflowing_lines(rows_of(32, 128, 4096), 64, 64, 8) == 48);
  CHECK(overflowing_lines(rows_of(32, 128, 4160), 64, 64, 8) == 0);
  // Rows start in two sets and have two cache lines, so each of four sets gets 16 cache lines.
  CHECK(overflowing_lines(rows_of(32, 128, 2048), 64, 64, 8) == 32);
  CHECK(overflowing_lines(rows_of(56, 128, 7168), 64, 64, 8) == 48);
  CHECK(overflowing_lines(rows_of(56, 128, 8704), 64, 64, 8) == 0);
}

TEST_CASE("held units: the largest level holds four times as many bytes as sums of four bytes") {
  Machine machine = load_machine("xeon-gold-6130");
  const double sums = held_units(machine, 1, 2, 4);
  CHECK(sums == 2 * usable_bytes(machine.caches[1]) / 4);
  CHECK(held_units(machine, 1, 2, 1) == 4 * sums);
  machine.caches[0].capacity_bytes = 64;
  CHECK(held_units(machine, 0, 1, 4) == machine.vector.registers * machine.vector.lanes);
}

TEST_CASE("held units: cores with several shared caches hold as much as all of these") {
  const Machine machine = load_machine("epyc-7282");  // Four cores share each L3.
  const double one = usable_units(machine.caches[2], 4);
  for (const auto& [cores, caches] : {std::pair{1, 1}, {4, 1}, {5, 2}, {16, 4}}) {
    CHECK(held_units(machine, 2, cores, 4) == caches * one);
    CHECK(held_units(machine, 2, cores, 4, caches_of) == one);
  }
}

TEST_CASE("ways: each tensor takes whole ways of its own") {
  // A way of 32 KiB / 8 holds 1024 floats. With a 6x8 tile of C and 256 steps, A has 1536 elements,
  // B has 2048 and C has 48.
  const CacheLevel l1{.capacity_bytes = 32768, .ways = 8};
  const CapacityRule rule = rule_for(Capacity::ways, l1, 4);
  CHECK(rule.way_elements == 1024);
  const Computation gemm = toy::gemm({.i = 600, .j = 800, .k = 512});
  const Tile tile = toy::tile(gemm, {{"i", 6}, {"j", 8}, {"k", 256}});
  CHECK(required(gemm, tile, std::nullopt, rule) == (2 + 2 + 1) * 1024);
  CHECK(required(gemm, tile, toy::dim(gemm, "i"), rule) == (2 + 2 + 1) * 1024);
  CHECK(required(gemm, tile, std::nullopt, CapacityRule::ideal) == 1536 + 2048 + 48);
}

}  // namespace

TEST_CASE("crowded set: rows of the output a power of two apart crowd it too") {
  CacheLevel first, second;
  first.capacity_bytes = 32768;
  second.capacity_bytes = 524288;
  const auto crowded = [&](std::int64_t rows, const CacheLevel& cache) {
    const Computation gemm = toy::gemm({.i = rows, .j = 512, .k = 2});
    const TensorLayout input = layout_of(gemm, Operand::input, Layout::plain);
    const TensorLayout output = layout_of(gemm, Operand::output, Layout::plain);
    return crowded_set(gemm, toy::tile(gemm, {{"i", rows}, {"j", 16}, {"k", 2}}),
                       storage_in(cache, &cache == &first, input, output));
  };
  // Rows 2048 bytes apart share two sets of 8 ways. With 20 rows, 2 of the 10 cache lines in a set
  // overflow, which is tolerated. With 300 rows, 142 of 150 overflow.
  CHECK(crowded(20, first).lines == 0);
  CHECK(crowded(300, first).operand == Operand::output);
  CHECK(crowded(300, first).lines == 150);
  // Half of the rows begin at one position of a page, which stands for 16 sets of the second level.
  // With 300 rows, about a fifth of these 150 lines exceed the 8 ways of their sets, which is
  // tolerated. With 600 rows, more than half of 300 lines do.
  CHECK(crowded(300, second).lines == 0);
  CHECK(crowded(600, second).operand == Operand::output);
  CHECK(crowded(600, second).lines == 19);
}

}  // namespace tileplan
