// SPDX-License-Identifier: Apache-2.0
// This test compares rule (V) of models/README.md with tables and simulators, and checks
// monotonicity.
#include "movement.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "close_to.h"
#include "footprint.h"
#include "integers.h"
#include "oracle.h"
#include "random_computation.h"

namespace tileplan {
namespace {

using Volumes = std::array<std::int64_t, kOperands>;

std::array<std::int64_t, kOperands> volumes_of(const Computation& computation,
                                               const std::string& inner_to_outer,
                                               const Tile& tile) {
  return volumes(computation, toy::inner_to_outer(computation, inner_to_outer), tile,
                 toy::whole(computation))
      .values;
}

PerDim<double> real(const Tile& tile) {
  PerDim<double> result{};
  for (std::size_t d = 0; d < result.values.size(); ++d)
    result.values[d] = static_cast<double>(tile.values[d]);
  return result;
}

TEST_CASE("volumes: the eight orders of a convolution move what the table says") {
  const Computation conv = toy::conv({.n = 2, .k = 64, .c = 32, .h = 28, .w = 28, .r = 3, .s = 3});
  const Tile tile = toy::tile(conv, {{"k", 16}, {"c", 8}, {"h", 7}, {"w", 14}, {"r", 3}});
  CHECK(volumes_of(conv, "wnhkcrs", tile) == Volumes{774144, 18432, 1204224});
  CHECK(volumes_of(conv, "hnwkcrs", tile) == Volumes{645120, 18432, 1204224});
  CHECK(volumes_of(conv, "scrnkhw", tile) == Volumes{294912, 294912, 100352});
  CHECK(volumes_of(conv, "rcsnkhw", tile) == Volumes{774144, 294912, 100352});
  CHECK(volumes_of(conv, "kwnchrs", tile) == Volumes{193536, 294912, 1204224});
  CHECK(volumes_of(conv, "khncwrs", tile) == Volumes{161280, 294912, 1204224});
  CHECK(volumes_of(conv, "ksnchwr", tile) == Volumes{73728, 294912, 1204224});
  CHECK(volumes_of(conv, "krnchws", tile) == Volumes{193536, 294912, 1204224});
}

TEST_CASE("volumes: s innermost over tiles k32 h8 w28 s3 moves 1455104 elements in two halves") {
  const Computation half = toy::conv({.k = 64, .c = 64, .h = 56, .w = 28, .r = 3, .s = 3});
  const Tile tile = toy::tile(half, {{"k", 32}, {"h", 8}, {"w", 28}, {"r", 3}, {"s", 3}});
  const Volumes moved = volumes_of(half, "scrnkhw", tile);
  CHECK(moved == Volumes{268800, 258048, 100352});
  CHECK(2 * weighted(half, {moved}) == 1455104);
}

TEST_CASE("volumes: gemm 96x64x48 by tiles of 24x16x12") {
  const Computation gemm = toy::gemm({.i = 96, .j = 64, .k = 48});
  const Tile tile = toy::tile(gemm, {{"i", 24}, {"j", 16}, {"k", 12}});
  CHECK(volumes_of(gemm, "ijk", tile) == Volumes{18432, 3072, 24576});
  CHECK(volumes_of(gemm, "jik", tile) == Volumes{4608, 12288, 24576});
  CHECK(volumes_of(gemm, "kij", tile) == Volumes{18432, 12288, 6144});
  CHECK(weighted(gemm, {Volumes{18432, 3072, 24576}}) == 18432 + 3072 + 2 * 24576);
}

TEST_CASE("volumes: a batch of four products moves four times as much wherever b stands outside") {
  const Computation gemm = toy::gemm({.b = 4, .i = 96, .j = 64, .k = 48});
  const Tile tile = toy::tile(gemm, {{"i", 24}, {"j", 16}, {"k", 12}});
  CHECK(volumes_of(gemm, "ijkb", tile) == Volumes{4 * 18432, 4 * 3072, 4 * 24576});
  CHECK(volumes_of(gemm, "kijb", tile) == Volumes{4 * 18432, 4 * 12288, 4 * 6144});
}

TEST_CASE("volumes: depthwise 3x3 over 64 groups of 56x56") {
  const Computation conv = toy::conv({.g = 64, .h = 56, .w = 56, .r = 3, .s = 3});
  const Tile tile = toy::tile(conv, {{"g", 16}, {"h", 8}, {"w", 14}, {"r", 3}, {"s", 3}});
  CHECK(volumes_of(conv, "whngrs", tile) == Volumes{259840, 576, 200704});
  CHECK(volumes_of(conv, "hwngrs", tile) == Volumes{237568, 576, 200704});
  CHECK(volumes_of(conv, "gwhnrs", tile) == Volumes{286720, 16128, 200704});
}

TEST_CASE("volumes: gaps of a dilated filter that one output row leaves are not free") {
  const Computation conv =
      toy::conv({.k = 4, .c = 3, .h = 7, .w = 5, .r = 3, .s = 1, .dilation = 2});
  const Tile tile = toy::tile(conv, {{"c", 2}, {"w", 4}, {"r", 3}});
  CHECK(volumes_of(conv, "hnkrcsw", tile)[0] == 1260);
}

TEST_CASE(
    "volumes: loops of one trip carry nothing, a tile of everything moves each element once") {
  const Computation gemm = toy::gemm({.i = 8, .j = 6, .k = 4});
  const Tile tile = toy::tile(gemm, {{"i", 2}, {"j", 6}, {"k", 4}});
  CHECK(volumes_of(gemm, "jki", tile) == Volumes{32, 24, 48});
  CHECK(volumes_of(gemm, "i", tile) == Volumes{32, 24, 48});
  CHECK(volumes_of(gemm, "jki", toy::whole(gemm)) == Volumes{32, 24, 48});
}

TEST_CASE("volumes: gemm 12x12x12 by 4x4x3, k innermost, against transitions and both caches") {
  const Computation gemm = toy::gemm({.i = 12, .j = 12, .k = 12});
  const Tile tile = toy::tile(gemm, {{"i", 4}, {"j", 4}, {"k", 3}});
  const LoopOrder order = toy::inner_to_outer(gemm, "kji");
  const auto domain = oracle::domain(gemm);
  const auto walk = oracle::tiles(domain, order, tile);
  const auto accesses = oracle::accesses(gemm, walk, order);
  CHECK(volumes_of(gemm, "kji", tile) == Volumes{432, 432, 144});
  CHECK(oracle::transitions(gemm, domain, order, tile).fresh == Volumes{432, 432, 144});
  CHECK(oracle::belady_misses(accesses, 40) == 927);
  CHECK(oracle::lru_misses(accesses, 80) == 1008);
  CHECK(oracle::lru_misses(accesses, 40) == 1413);
}

TEST_CASE("volumes: computations read by isl move what the same ones made from numbers move") {
  const Axis axis{.in = 14, .out = 6, .filter = 3, .stride = 2, .dilation = 2, .pad_before = 1};
  const Computation read = computation_of(
      ConvShape{.name = "", .n = 2, .g = 2, .c = 8, .k = 12, .height = axis, .width = axis});
  const Computation made = toy::conv(
      {.n = 2, .g = 2, .k = 6, .c = 4, .h = 6, .w = 6, .r = 3, .s = 3, .stride = 2, .dilation = 2});
  const toy::Sizes sizes = {{"k", 2}, {"c", 4}, {"h", 4}, {"w", 3}, {"r", 2}};
  for (const char* order : {"wnhkcrsg", "scrnkhwg", "khncwrsg", "gwhrsnkc"}) {
    CAPTURE(order);
    CHECK(volumes_of(read, order, toy::tile(read, sizes)) ==
          volumes_of(made, order, toy::tile(made, sizes)));
  }
  const Computation product = computation_of(
      GemmShape{.name = "", .m = 96, .n = 64, .k = 48, .lda = 48, .ldb = 64, .ldc = 64});
  const Tile tile = toy::tile(product, {{"i", 24}, {"j", 16}, {"k", 12}});
  CHECK(volumes_of(product, "ijk", tile) == Volumes{18432, 3072, 24576});
}

struct Case {
  Computation computation;
  LoopOrder order;
  Tile tile{}, whole{};

  Case(std::uint64_t seed, bool dividing) {
    toy::Random random(seed);
    computation = toy::random_computation(static_cast<int>(seed % toy::kOperatorKinds), random);
    order = toy::random_order(computation, random);
    tile = toy::random_tile(computation, dividing, random);
    whole = toy::whole(computation);
  }
};

/// Considers the innermost loop of several steps over a dimension of `tensor`. Returns true when no
/// other dimension is in the same index, so that consecutive tiles share no elements, or when there
/// is no such loop.
bool spills(const Case& given, const TensorAccess& tensor) {
  for (auto loop = given.order.rbegin(); loop != given.order.rend(); ++loop) {
    if (given.tile[*loop] == given.whole[*loop]) continue;
    for (const DataDim& data : tensor.data)
      for (const Term& term : data.terms)
        if (term.dim == *loop) return data.terms.size() == 1;
  }
  return true;
}

TEST_CASE("theorem A: volumes equal the transitions along one loop and never underestimate all") {
  int overlapping_outside = 0, ragged = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    const Case given(seed, seed % 2 == 0);
    const auto counted = oracle::transitions(given.computation, oracle::domain(given.computation),
                                             given.order, given.tile);
    const Volumes moved = volumes(given.computation, given.order, given.tile, given.whole).values;
    CHECK(moved == counted.along_one_loop);
    for (std::size_t t = 0; t < kOperands; ++t) {
      CHECK(counted.fresh[t] <= moved[t]);
      if (spills(given, given.computation.tensors[t])) CHECK(counted.fresh[t] == moved[t]);
      overlapping_outside += counted.fresh[t] < moved[t];
    }
    for (const Dim dim : given.order) ragged += given.whole[dim] % given.tile[dim] != 0;
  }
  // In some cases, the tiles have fewer new elements than the volume counts, and in many, they do
  // not divide an extent.
  CHECK(overlapping_outside > 10);
  CHECK(ragged > 100);
}

TEST_CASE(
    "theorems B and C: caches of two tiles (LRU) and one tile (ideal) miss at most the "
    "transitions") {
  for (std::uint64_t seed = 0; seed < 50 * toy::kOperatorKinds; ++seed) {
    CAPTURE(seed);
    const Case given(seed, seed % 2 == 0);
    toy::Random random(seed);
    const auto domain = oracle::domain(given.computation);
    const auto walk = oracle::tiles(domain, given.order, given.tile);
    const auto accesses =
        oracle::accesses(given.computation, walk, toy::random_order(given.computation, random));
    const auto counted = oracle::transitions(given.computation, domain, given.order, given.tile);
    CHECK(oracle::lru_misses(accesses, counted.largest_pair) <= counted.total());
    CHECK(oracle::belady_misses(accesses, counted.largest_tile) <= counted.total());
  }
}

TEST_CASE("volumes: real sizes agree at divisors and bound ragged tiles from below") {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    CAPTURE(seed);
    const bool dividing = seed % 2 == 0;
    const Case given(seed, dividing);
    const Volumes exact = volumes(given.computation, given.order, given.tile, given.whole).values;
    const auto relaxed =
        volumes(given.computation, given.order, real(given.tile), real(given.whole)).values;
    for (std::size_t t = 0; t < kOperands; ++t) {
      const auto expected = static_cast<double>(exact[t]);
      CHECK(relaxed[t] <= expected * (1 + 1e-12));
      if (dividing) CHECK(relaxed[t] == close_to(expected));
    }
  }
}

/// Returns the weighted volume when boxes `within` are executed one after another, each in tiles
/// `tile`.
std::int64_t repeated_volume(const Case& given, const Tile& tile, const Tile& within) {
  std::int64_t repeats = 1;
  for (const Dim dim : given.order) repeats *= given.whole[dim] / within[dim];
  const Computation& computation = given.computation;
  return repeats * weighted(computation, volumes(computation, given.order, tile, within));
}

TEST_CASE("monotone: larger inner tiles never move more, nor outer ones along active loops") {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    CAPTURE(seed);
    const Case given(seed, true);
    toy::Random random(seed);
    const Tile inner = toy::random_tile_of(given.tile, given.computation, random);
    const std::int64_t base = repeated_volume(given, inner, given.tile);
    for (const Dim dim : given.order) {
      for (const std::int64_t factor : divisors(given.tile[dim] / inner[dim])) {
        Tile larger = inner;
        larger[dim] *= factor;
        CHECK(repeated_volume(given, larger, given.tile) <= base);
        ++compared;
      }
      // A larger box would have a loop over `dim`, but the present box has none.
      if (inner[dim] == given.tile[dim]) continue;
      for (const std::int64_t factor : divisors(given.whole[dim] / given.tile[dim])) {
        Tile larger = given.tile;
        larger[dim] *= factor;
        CHECK(repeated_volume(given, inner, larger) <= base);
        ++compared;
      }
    }
  }
  CHECK(compared > 3828);
}

}  // namespace
}  // namespace tileplan
