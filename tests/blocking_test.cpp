// SPDX-License-Identifier: Apache-2.0
// Block sizes from cache ways: the 32 rows of Table 2 of "Automatic Generators for a Family of
// Matrix Multiplication Routines with Apache TVM" (Carmel: L1 64 KiB 4-way, L2 2 MiB 16-way, L3 4
// MiB 16-way, f32).
#include "blocking.h"

#include <doctest/doctest.h>

#include <vector>

using namespace tileplan;

namespace {

constexpr std::int64_t kKiB = 1024;

CacheLevel cache(std::int64_t capacity_bytes, int ways) {
  CacheLevel level;
  level.capacity_bytes = capacity_bytes;
  level.ways = ways;
  return level;
}

const std::vector<CacheLevel> kCarmel = {cache(64 * kKiB, 4), cache(2048 * kKiB, 16),
                                         cache(4096 * kKiB, 16)};

// The GEMMs of layers 2 and 8 of ResNet-50 at batch 128.
const GemmShape kLayer2{.name = "", .m = 401408, .n = 64, .k = 64};
const GemmShape kLayer8{.name = "", .m = 100352, .n = 512, .k = 128};

struct Row {
  std::vector<int> mr;
  int nr;
  std::int64_t mc_layer2;
  double share_layer2;  // percent
  std::int64_t mc_layer8, nc_layer8;
  double share_layer8, share_largest;
};

const std::vector<Row> kTable = {
    {{4, 8, 12, 16, 20, 24, 28}, 4, 7168, 1.56, 3584, 256, 3.12, 25},
    {{4}, 8, 6656, 3.12, 3584, 256, 6.25, 50},
    {{8, 12}, 8, 6656, 3.12, 3584, 256, 6.25, 25},
    {{4, 8}, 12, 6144, 4.69, 3328, 275, 9.38, 50},
    {{4}, 16, 6144, 6.25, 3328, 275, 12.5, 50},
    {{4}, 20, 5632, 7.81, 3072, 298, 15.6, 50},
    {{4}, 24, 5120, 9.38, 3072, 298, 18.8, 50},
    {{4}, 28, 5120, 10.9, 3072, 298, 21.9, 50},
};

void check_share(double share, double percent) { CHECK(std::abs(100 * share - percent) <= 0.051); }

}  // namespace

TEST_CASE("blocking: Table 2 of the GEMM-family paper, all 32 rows") {
  int rows = 0;
  for (const Row& row : kTable) {
    for (const int mr : row.mr) {
      CAPTURE(mr);
      CAPTURE(row.nr);
      const PackedBlocks layer2 = packed_blocks(kLayer2, {mr, row.nr}, kCarmel, 4);
      CHECK(layer2.kc == 64);
      CHECK(layer2.mc == row.mc_layer2);
      CHECK(layer2.nc == 64);
      check_share(layer2.l1_share, row.share_layer2);
      check_share(layer2.l1_share_largest, row.share_largest);
      const PackedBlocks layer8 = packed_blocks(kLayer8, {mr, row.nr}, kCarmel, 4);
      CHECK(layer8.kc == 128);
      CHECK(layer8.mc == row.mc_layer8);
      CHECK(layer8.nc == row.nc_layer8);
      check_share(layer8.l1_share, row.share_layer8);
      check_share(layer8.l1_share_largest, row.share_largest);
      rows += 2;
    }
  }
  CHECK(rows == 32);
}

TEST_CASE("blocking: 6 x 8 doubles in 32 KiB and 256 KiB, 8-way, give kc 256 and mc 96") {
  const std::vector<CacheLevel> caches = {cache(32 * kKiB, 8), cache(256 * kKiB, 8)};
  const GemmShape square{.name = "", .m = 2000, .n = 2000, .k = 2000};
  const PackedBlocks blocks = packed_blocks(square, {6, 8}, caches, 8);
  CHECK(blocks.kc == 256);
  CHECK(blocks.mc == 96);
  CHECK(blocks.nc == 2000);
}

TEST_CASE("blocking: blocks never exceed the matrix and round down to whole panels") {
  const GemmShape small{.name = "", .m = 50, .n = 30, .k = 20};
  const PackedBlocks blocks = packed_blocks(small, {8, 12}, kCarmel, 4);
  CHECK(blocks.kc == 20);
  CHECK(blocks.mc == 50);
  CHECK(blocks.nc == 30);
  const PackedBlocks whole = whole_panels(blocks, {8, 12});
  CHECK(whole.kc == 20);
  CHECK(whole.mc == 48);
  CHECK(whole.nc == 24);
}

TEST_CASE("blocking: A is packed once for each block of columns, B once") {
  const GemmShape shape{.name = "", .m = 10, .n = 7, .k = 3};
  const PackedBlocks blocks{.mc = 10, .kc = 3, .nc = 4};
  CHECK(packing_bytes(shape, blocks, 4) == 4 * (2 * 30 + 21));
}
