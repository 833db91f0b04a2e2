// SPDX-License-Identifier: Apache-2.0
// This test checks that the bytes of each tensor follow from its own element type.
#include <doctest/doctest.h>

#include "bounds.h"
#include "cache_pressure.h"
#include "capacity.h"
#include "conflicts.h"
#include "flat.h"
#include "merge_dims.h"
#include "next_tile_prefetch.h"
#include "random_computation.h"
#include "repack.h"
#include "short_rows.h"

using namespace tileplan;

namespace {

constexpr auto kInput = Operand::input, kOutput = Operand::output;

/// Returns `computation` with doubles in `operand` and floats in the other tensors.
Computation with_doubles(Computation computation, Operand operand) {
  computation.tensors[static_cast<std::size_t>(operand)].type = ElementType::f64;
  return computation;
}

Computation cube(Operand doubles) {
  return with_doubles(toy::gemm({.i = 64, .j = 64, .k = 64}), doubles);
}

TensorLayout row_major(const Computation& gemm, Operand operand) {
  return toy::row_major(gemm.tensor(operand), {0, 1, 2});
}

}  // namespace

TEST_CASE("types: capacity counts a double as two units of a float") {
  const Computation gemm = cube(kOutput);
  const Tile tile = toy::tile(gemm, {{"i", 8}, {"j", 4}, {"k", 16}});
  const Dim k = toy::dim(gemm, "k");
  CHECK(required(gemm, tile, k, CapacityRule::ideal) == 8 * 16 + 16 * 4 + 2 * 8 * 4);
  CHECK(required(gemm, tile, k, CapacityRule::lru2) == 8 * 32 + 32 * 4 + 2 * 8 * 4);
  // Rows of 16 floats start on a cache line, but rows of 4 doubles may start anywhere in one.
  const TensorLayout input = row_major(gemm, kInput), output = row_major(gemm, kOutput);
  CHECK(whole_lines(gemm, tile, {.input = input, .output = output}) == 128 + 64 + 2 * 8 * (4 + 7));
  CHECK(weighted(gemm, PerTensor<std::int64_t>{{10, 20, 30}}) == 10 + 20 + 2 * 2 * 30);
}

TEST_CASE("types: a cache that holds the floats alone cuts the nest further inside") {
  const Computation gemm = with_doubles(toy::gemm({.i = 3, .k = 4}), kOutput);
  const Nest nest{.loops = {{.dim = toy::dim(gemm, "i"), .trips = 3, .parts = {}},
                            {.dim = toy::dim(gemm, "k"), .trips = 4, .parts = {}}},
                  .base = toy::tile(gemm, {})};
  const auto cut = [&](std::int64_t units) {
    return flat_traffic(gemm, nest, units, CapacityRule::ideal).cut;
  };
  CHECK(cut(9) == toy::tile(gemm, {}));
  // The iterations of this tile access 4 + 4 floats and a double.
  CHECK(cut(10) == toy::tile(gemm, {{"k", 4}}));
}

TEST_CASE("types: rows of 512 elements are 4096 bytes apart when they are doubles") {
  const CacheLevel l1{.capacity_bytes = 32768};
  const Computation floats = toy::gemm({.i = 12, .j = 4, .k = 512});
  const auto fullest = [&](const Computation& gemm) {
    const TensorLayout input = row_major(gemm, kInput), output = row_major(gemm, kOutput);
    return crowded_set(gemm, toy::tile(gemm, {{"i", 12}}), storage_in(l1, true, input, output))
        .lines;
  };
  CHECK(fullest(floats) == 0);
  CHECK(fullest(with_doubles(floats, kOutput)) == 0);
  CHECK(fullest(with_doubles(floats, kInput)) == 12);

  const Computation conv = with_doubles(toy::conv({.k = 32, .c = 512, .w = 28}), kInput);
  const Nest nest = resolve(parse_schedule("[R(w), R(c), U(14,w), U(2,k), V(k)]"), conv, 16);
  CHECK(conflict_lines(conv, nest, layout_of(conv, kInput, Layout::nhwc), l1) ==
        2 * 6 * (512 - 64));
}

TEST_CASE("types: 24 doubles are a row of three lines, 24 floats one of one and a half") {
  const Computation gemm = cube(kInput);
  const Tile tile = toy::tile(gemm, {{"i", 4}, {"k", 24}});
  const HeldRows held{.cut = tile, .walked = tile};
  const Machine machine{.caches = std::vector<CacheLevel>(2)};
  const TensorLayout rows = row_major(gemm, kInput);
  CHECK(short_row_penalty(gemm.tensor(kInput), rows, held, machine, 1) == 1);
  TensorAccess floats = gemm.tensor(kInput);
  floats.type = ElementType::f32;
  CHECK(short_row_penalty(floats, rows, held, machine, 1) == 4);
  CHECK(short_row_penalty(floats, rows, held, machine, 0) == 2);
  // Rows of weights in place are whole vectors, and only rows of one cache line are slow.
  CHECK(short_row_penalty(floats, rows, {tile, tile, kShortWeights}, machine, 1) == 1);
}

TEST_CASE("types: the tensors of a problem take the sum of their own bytes") {
  const Computation gemm = cube(kOutput);
  constexpr double kBytes = 2 * 4 * 64 * 64 + 8 * 64 * 64;
  Machine machine;
  machine.caches = {{.capacity_bytes = static_cast<std::int64_t>(kBytes), .usable = 1}};
  CHECK_FALSE(leaves_caches(gemm, machine));
  --machine.caches[0].capacity_bytes;
  CHECK(leaves_caches(gemm, machine));
  CHECK(lower_bound(gemm, 1e6).bytes == kBytes);
  const LowerBound tight = lower_bound(gemm, 16);
  CHECK(tight.bytes == 4 * tight.lb2);
}

TEST_CASE("types: a line of the input holds 8 doubles beside weights of floats") {
  const Schedule schedule =
      parse_schedule("[T(4,h), T(8,w), T(3,r), T(3,s), T(8,c), U(2,h), V(k)]");
  const Computation conv = computation_of(parse_problem("mb1ic8ih10oc16oh8kh3"), schedule);
  const Nest nest = resolve(schedule, conv, 16);
  const TensorLayout input = layout_of(conv, kInput, Layout::nhwc);
  // Each of 8 calls prefetches 2 x 10 x 8 / 8 = 20 elements, rounded up to whole cache lines.
  CHECK(plan_next_tile_prefetch(with_doubles(conv, kInput), nest, 2, input, 0)->call == 24);
  CHECK(plan_next_tile_prefetch(with_doubles(conv, kOutput), nest, 2, input, 0)->call == 32);
}

TEST_CASE("types: 256 doubles of output are copied as 2 KiB, 2048 / 16 + 2048 / 8 s") {
  Machine machine;
  machine.clock.hertz = 1000;
  machine.caches = {
      {.capacity_bytes = 1024, .fill_bytes_per_second = 16, .write_bytes_per_second = 8},
      {.capacity_bytes = 8192}};
  const Computation conv =
      with_doubles(computation_of(parse_problem("mb1ic1ih4oc16oh4kh1")), kOutput);
  const Schedule schedule = parse_schedule("[T(4,h), U(4,w), V(k)] in=nchw out=nchw");
  CHECK(repack(conv, schedule, resolve(schedule, conv, 16), machine).output == 384);
}

TEST_CASE("types: displacements and packed rows count the bytes of their tensor") {
  const Computation gemm = cube(kOutput);
  const Tile tile = toy::tile(gemm, {{"i", 3}, {"j", 16}});
  CHECK(tile_reach(gemm, kOutput, row_major(gemm, kOutput), tile) == 8 * (2 * 64 + 15));
  CHECK(tile_reach(gemm, kInput, row_major(gemm, kInput), tile) == 4 * 2 * 64);
  // Rows of 128 doubles take 1 KiB. One more cache line per row maps the rows to different sets.
  const Tile box = toy::tile(gemm, {{"i", 4}, {"k", 128}});
  const Dim j = toy::dim(gemm, "j");
  CHECK(packed_layout(gemm, box, j).axes[1].stride == 128);
  CHECK(packed_layout(cube(kInput), box, j).axes[1].stride == 128 + 8);
}
