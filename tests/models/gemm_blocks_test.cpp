// SPDX-License-Identifier: Apache-2.0
// This test compares the closed form for block sizes with Table 2 of the paper on the GEMM family.
#include "gemm_blocks.h"

#include <doctest/doctest.h>

using namespace tileplan;

namespace {

/// Returns the caches of the NVIDIA Carmel, which the paper on the GEMM family uses.
std::vector<CacheLevel> carmel() {
  const auto cache = [](const char* name, std::int64_t kibibytes, int ways) {
    return CacheLevel{.name = name, .capacity_bytes = kibibytes * 1024, .ways = ways};
  };
  return {cache("L1", 64, 4), cache("L2", 2048, 16), cache("L3", 4096, 16)};
}

struct Row {
  std::int64_t mr, nr;
  std::int64_t mc_of_layer_2, mc_of_layer_8, nc_of_layer_8;
  double most_percent;
};

constexpr Row kTable2[] = {
    {4, 4, 7168, 3584, 256, 25},  {8, 4, 7168, 3584, 256, 25},  {12, 4, 7168, 3584, 256, 25},
    {16, 4, 7168, 3584, 256, 25}, {20, 4, 7168, 3584, 256, 25}, {24, 4, 7168, 3584, 256, 25},
    {28, 4, 7168, 3584, 256, 25}, {4, 8, 6656, 3584, 256, 50},  {8, 8, 6656, 3584, 256, 25},
    {12, 8, 6656, 3584, 256, 25}, {4, 12, 6144, 3328, 275, 50}, {8, 12, 6144, 3328, 275, 50},
    {4, 16, 6144, 3328, 275, 50}, {4, 20, 5632, 3072, 298, 50}, {4, 24, 5120, 3072, 298, 50},
    {4, 28, 5120, 3072, 298, 50},
};

}  // namespace

TEST_CASE("gemm blocks: the closed form gives the 32 rows of Table 2") {
  for (const Row& row : kTable2) {
    CAPTURE(row.mr);
    CAPTURE(row.nr);
    const GemmSizes layer2{.m = 401408, .n = 64, .k = 64, .mr = row.mr, .nr = row.nr};
    const GemmSizes layer8{.m = 100352, .n = 512, .k = 128, .mr = row.mr, .nr = row.nr};
    CHECK(closed_form_blocks(layer2, carmel()) ==
          GemmBlocks{.mc = row.mc_of_layer_2, .nc = 64, .kc = 64, .mr = row.mr, .nr = row.nr});
    CHECK(closed_form_blocks(layer8, carmel()) == GemmBlocks{.mc = row.mc_of_layer_8,
                                                             .nc = row.nc_of_layer_8,
                                                             .kc = 128,
                                                             .mr = row.mr,
                                                             .nr = row.nr});
    CHECK(closed_form_shares(layer2, carmel()).b_in_first == row.most_percent / 100);
  }
}

TEST_CASE("gemm blocks: no ways remain for B in a first cache of one way") {
  std::vector<CacheLevel> caches = carmel();
  caches.front().ways = 1;
  const GemmSizes sizes{.m = 64, .n = 64, .k = 64, .mr = 8, .nr = 12};
  CHECK(closed_form_shares(sizes, caches).b_in_first == 0);
}

TEST_CASE("gemm blocks: without outer caches a block is the whole extent") {
  std::vector<CacheLevel> caches = carmel();
  const GemmSizes sizes{.m = 100352, .n = 512, .k = 4096, .mr = 8, .nr = 12};
  caches.resize(1);
  // One cache way of 16 KiB holds 8 rows of 512 floats.
  CHECK(closed_form_blocks(sizes, caches) ==
        GemmBlocks{.mc = 100352, .nc = 512, .kc = 512, .mr = 8, .nr = 12});
}
