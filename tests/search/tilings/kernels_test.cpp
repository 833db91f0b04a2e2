// SPDX-License-Identifier: Apache-2.0
// This test checks which dimensions are vectorised, and that register tiles cover extents exactly
// and are chosen by throughput.
#include "kernels.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "close_to.h"
#include "integers.h"
#include "merge_dims.h"
#include "random_computation.h"
#include "register_tilings.h"

namespace tileplan {
namespace {

std::vector<std::int64_t> interval(std::int64_t low, std::int64_t high) {
  std::vector<std::int64_t> sizes(static_cast<std::size_t>(high - low + 1));
  std::iota(sizes.begin(), sizes.end(), low);
  return sizes;
}

/// Counts the exact covers by tiles of two sizes, for all blocks that divide the extent. A pair of
/// sizes can have several covers.
std::size_t pairs(std::int64_t extent, const std::vector<std::int64_t>& sizes) {
  std::size_t count = 0;
  for (const std::int64_t block : divisors(extent)) count += exact_covers(block, sizes).size();
  return count;
}

/// Returns true when tiles of one or two sizes cover the extent.
bool coverable(std::int64_t extent, const std::vector<std::int64_t>& sizes) {
  const bool single = std::any_of(sizes.begin(), sizes.end(),
                                  [extent](std::int64_t size) { return extent % size == 0; });
  return single || pairs(extent, sizes) > 0;
}

std::vector<std::int64_t> uncoverable(std::int64_t low, std::int64_t high, std::int64_t up_to) {
  std::vector<std::int64_t> missed;
  for (std::int64_t extent = low; extent <= up_to; ++extent)
    if (!coverable(extent, interval(low, high))) missed.push_back(extent);
  return missed;
}

bool has_pair(std::int64_t block, const std::vector<Part>& parts) {
  const auto all = exact_covers(block, interval(6, 15));
  return std::find(all.begin(), all.end(), parts) != all.end();
}

Machine uncalibrated() {
  Machine machine;
  machine.clock.hertz = 1e9;
  machine.caches.resize(1);
  machine.caches[0].capacity_bytes = 32768;
  return machine;
}

/// Returns a machine on which 14x2, 7x2, 8x2 and 9x2 tiles are fast, and 1x1 tiles are slow.
Machine calibrated() {
  Machine machine = uncalibrated();
  machine.rates.kernels = {
      {14, 2, 14, 50}, {7, 2, 7.5, 40}, {8, 2, 8.5, 40}, {9, 2, 9.5, 40}, {1, 1, 4, 20}};
  return machine;
}

std::int64_t size(const Computation& computation, const KernelCombo& combo, const char* name) {
  return combo.base[toy::dim(computation, name)];
}

void check_covers(const Computation& computation, const KernelCombo& combo,
                  const Machine& machine) {
  const Tile extents = covered_extents(computation, combo.vectorised, machine.vector.lanes);
  for (int d = 0; d < computation.dims(); ++d) CHECK(extents[Dim{d}] % combo.base[Dim{d}] == 0);
  std::vector<std::int64_t> sizes = {0};
  if (combo.lambda) {
    sizes.clear();
    std::int64_t block = 0;
    for (const Part& part : combo.lambda->parts) {
      sizes.push_back(part.size);
      block += part.times * part.size;
    }
    CHECK(block == combo.lambda->block);
    CHECK(block == combo.base[combo.lambda->dim]);
  }
  for (const std::int64_t part : sizes)
    CHECK(fits_registers(register_tile(computation, combo, machine.vector.lanes, part),
                         machine.vector));
}

}  // namespace

/// Returns the letter of the dimension along which vectors of 16 lanes run.
std::string vector_letter(const std::string& problem) {
  const Computation computation = computation_of(parse_problem(problem));
  return computation.name(vectorised_dim(computation, 16));
}

TEST_CASE("vectors run along the dim that fills them, among the neighbours in memory") {
  CHECK(vector_letter("mb1ic64ih14oc64oh14kh3ph1") == "k");
  CHECK(vector_letter("g32mb1ic32ih14oc32oh14kh3ph1") == "g");
  CHECK(vector_letter("g2mb1ic64ih14oc64oh14kh3ph1") == "k");
  // In this problem, each group of the output has two channels.
  CHECK(vector_letter("g16mb1ic16ih14oc32oh14kh3ph1") == "k");
  CHECK(vector_letter("m64n32k16") == "j");
  CHECK(vector_letter(
            "{ S[i,e,r] : 0 <= i < 8 and 0 <= e < 48 and 0 <= r < 3 } reads "
            "{ S[i,e,r] -> X[i + r,e]; S[i,e,r] -> Y[r,e] } writes { S[i,e,r] -> Z[i,e] }") == "e");
}

/// Returns the letters of the dimensions along which the search tries vectors.
std::string vector_letters(const std::string& problem) {
  const Computation computation = computation_of(parse_problem(problem));
  std::string letters;
  for (const Dim dim : vectorised_dims(computation, 16)) letters += computation.name(dim);
  return letters;
}

TEST_CASE("vectors of pixels run along rows of nchw, and of a matrix product where C is a column") {
  CHECK(vector_letters("mb1ic64ih14oc64oh14kh3ph1") == "kw");
  CHECK(vector_letters("mb1ic64ih14oc64oh14kh3ph1iw1ow1kw1pw0") == "kh");
  CHECK(vector_letters("m64n32k16") == "j");
  CHECK(vector_letters("m64n1k16") == "ji");
}

TEST_CASE("vectors of pixels need an input that depends on them") {
  const Problem whole_window = parse_problem("mb1ic6ih5oc5oh1kh5");
  const Computation merged = merge_adjacent_dims(computation_of(whole_window));
  CHECK(vectorised_dims(merged, 16) == std::vector{merged.dim("k")});
}

TEST_CASE("kernels: tiles with vectors of pixels are channels times rows") {
  const Computation conv = computation_of(parse_problem("mb1ic64ih32oc3oh32kh3ph1"));
  const Machine machine = uncalibrated();
  const KernelCombo best = kernel_combos(conv, machine, 1, conv.dim("w")).front();
  const RegisterTile tile = register_tile(conv, best, 16, 0);
  CHECK(best.vectorised == conv.dim("w"));
  CHECK(tile.channels == 3);
  CHECK(tile.pixels % 3 == 0);
}

TEST_CASE("kernels: the number of pairs of sizes 8..15 that cover an extent") {
  struct Row {
    std::int64_t extent;
    std::size_t count;
  };
  const std::vector<Row> expected = {{17, 1},  {34, 7},   {68, 25},  {136, 59},  {28, 4},
                                     {56, 14}, {112, 38}, {224, 97}, {272, 129}, {544, 278}};
  for (const Row& row : expected) {
    CAPTURE(row.extent);
    CHECK(pairs(row.extent, interval(8, 15)) == row.count);
  }
}

TEST_CASE("kernels: extents that a class cannot cover") {
  using List = std::vector<std::int64_t>;
  CHECK(uncoverable(8, 15, 600) == List{});
  CHECK(uncoverable(10, 12, 100) ==
        List{13, 14, 15, 16, 17, 18, 19, 25, 26, 27, 28, 29, 37, 38, 39, 49});
  CHECK(uncoverable(4, 6, 100) == List{7});
  CHECK(uncoverable(5, 6, 100) == List{7, 8, 9, 13, 14, 19});
  CHECK(uncoverable(12, 14, 100) == List{15, 16, 17, 18, 19, 20, 21, 22, 23, 29, 30, 31, 32,
                                         33, 34, 35, 43, 44, 45, 46, 47, 57, 58, 59, 71});
}

TEST_CASE("kernels: the pairs of the papers are found") {
  CHECK(has_pair(34, {{2, 11}, {1, 12}}));
  // This pair belongs to the extent 136, which consists of four blocks of 34.
  CHECK(has_pair(34, {{1, 8}, {2, 13}}));
  CHECK(has_pair(68, {{1, 8}, {5, 12}}));
  CHECK(has_pair(17, {{1, 8}, {1, 9}}));
  const auto covers = exact_covers(128, {7, 12});
  CHECK(covers == std::vector<std::vector<Part>>{{{8, 7}, {6, 12}}});
}

TEST_CASE("kernels: only fast tiles are used where they cover") {
  const Computation conv = toy::conv({.k = 64, .c = 64, .h = 56, .w = 56, .r = 3, .s = 3});
  const Machine machine = calibrated();
  const std::vector<KernelCombo> combos = kernel_combos(conv, machine, 50);
  for (const KernelCombo& combo : combos) {
    check_covers(conv, combo, machine);
    CHECK(register_tile(conv, combo, 16, 7).vectors == 2);
  }
  // The 14 x 2 tiles take 56 * 56 * 64 / (14 * 32) = 448 calls of 576 steps of 14 cycles.
  const double call = kernel_rate({14, 2}, machine).cycles_per_call;
  CHECK(size(conv, combos[0], "w") * size(conv, combos[0], "h") == 14);
  CHECK(combos[0].compute_seconds == close_to(448 * (call + 576 * 14) / 1e9));
}

TEST_CASE("kernels: 17 columns are 8 and 9, since it is prime") {
  const Computation conv = toy::conv({.k = 64, .c = 64, .h = 3, .w = 17, .r = 3, .s = 3});
  const std::vector<KernelCombo> combos = kernel_combos(conv, calibrated(), 50);
  const auto pair = std::find_if(combos.begin(), combos.end(), [&](const KernelCombo& combo) {
    return combo.lambda && combo.lambda->dim == toy::dim(conv, "w");
  });
  REQUIRE(pair != combos.end());
  CHECK(pair->lambda->parts == std::vector<Part>{{1, 8}, {1, 9}});
  CHECK(pair->lambda->block == 17);
  CHECK(size(conv, *pair, "w") == 17);
  // Each of 3 rows and 2 channel blocks takes a call of 8 and a call of 9 columns, of 576 steps.
  const double calls = kernel_rate({8, 2}, calibrated()).cycles_per_call +
                       kernel_rate({9, 2}, calibrated()).cycles_per_call;
  CHECK(pair->compute_seconds == close_to(6 * (calls + 576 * (8.5 + 9.5)) / 1e9));
  const CallCycles cycles = base_cycles(conv, *pair, calibrated());
  CHECK(cycles.call == calls);
  CHECK(cycles.step == 18);
}

TEST_CASE("kernels: a 14x7 image is covered by 7 columns or 2x7 pixels") {
  const Computation conv = toy::conv({.k = 512, .c = 512, .h = 14, .w = 7, .r = 3, .s = 3});
  const std::vector<KernelCombo> combos = kernel_combos(conv, calibrated(), 50);
  std::set<std::pair<std::int64_t, std::int64_t>> shapes;
  for (const KernelCombo& combo : combos)
    if (!combo.lambda) shapes.insert({size(conv, combo, "h"), size(conv, combo, "w")});
  CHECK(shapes.count({2, 7}) == 1);
  CHECK(shapes.count({1, 7}) == 1);
  CHECK(size(conv, combos[0], "h") * size(conv, combos[0], "w") == 14);
}

TEST_CASE("kernels: something always covers, however odd the extents") {
  toy::for_random_computations(71, 60, [&](const Computation& computation, toy::Random&) {
    for (const Machine& machine : {calibrated(), uncalibrated()}) {
      const std::vector<KernelCombo> combos = kernel_combos(computation, machine, 10);
      REQUIRE_FALSE(combos.empty());
      CHECK(combos.size() <= 10);
      for (std::size_t c = 0; c < combos.size(); ++c) {
        check_covers(computation, combos[c], machine);
        CHECK(combos[c].compute_seconds >= combos[c > 0 ? c - 1 : 0].compute_seconds);
      }
    }
  });
}

TEST_CASE("kernels: a depthwise convolution vectorises its groups") {
  const Computation depthwise = toy::conv({.g = 32, .h = 28, .w = 28, .r = 3, .s = 3});
  const std::vector<KernelCombo> combos = kernel_combos(depthwise, uncalibrated(), 10);
  CHECK(combos[0].vectorised == toy::dim(depthwise, "g"));
  CHECK(size(depthwise, combos[0], "g") % 16 == 0);
}

TEST_CASE("kernels: gemm tiles are rows of i by vectors of j, the last vector padded") {
  const Computation gemm = toy::gemm({.i = 128, .j = 72, .k = 256});
  const std::vector<KernelCombo> combos = kernel_combos(gemm, uncalibrated(), 20);
  CHECK(combos[0].vectorised == toy::dim(gemm, "j"));
  for (const KernelCombo& combo : combos) {
    CHECK(80 % size(gemm, combo, "j") == 0);
    CHECK(size(gemm, combo, "k") == 1);
  }
}

TEST_CASE("kernels: different widths in vectors and rows of pixels are among the few kept") {
  const Computation conv = toy::conv({.k = 256, .c = 64, .h = 28, .w = 28, .r = 3, .s = 3});
  const Machine machine = uncalibrated();
  std::set<int> vectors;
  std::set<std::int64_t> rows;
  for (const KernelCombo& combo : kernel_combos(conv, machine, 24)) {
    vectors.insert(
        register_tile(conv, combo, 16, combo.lambda ? combo.lambda->parts[0].size : 0).vectors);
    rows.insert(size(conv, combo, "h"));
  }
  CHECK(vectors.size() >= 3);
  CHECK(rows.size() >= 3);
}

// 7 + 16 rows take as long on one core as 11 + 12 rows, but two cores share them less evenly.
TEST_CASE("kernels: the busiest of two cores makes the larger of two calls") {
  const Computation conv =
      computation_of(parse_problem("mb1ic143ih29iw3oc2oh23ow1kh7kw5sh1sw3ph0pw2"));
  Machine machine = load_machine("cascade-lake-vm");
  machine.cores = 2;
  const Dim channels = toy::dim(conv, "k");
  const std::vector<KernelCombo> best =
      balanced_kernels_below(conv, machine, {.seconds = 1, .keep = 8}, channels);
  const auto list = std::ranges::find_if(best, [](const auto& each) { return !!each.lambda; });
  REQUIRE(list != best.end());
  CHECK(list->lambda->parts.front().size >= 11);
  CHECK(list->lambda->parts.back().size <= 12);
  const double share = busiest_share(conv, *list, machine);
  CHECK(share > 0.5);
  CHECK(share < 0.52);
  machine.cores = 1;
  CHECK(busiest_share(conv, *list, machine) == 1);
}

}  // namespace tileplan
