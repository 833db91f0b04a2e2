// SPDX-License-Identifier: Apache-2.0
// Way-counting block sizes (Low et al., "Analytical modeling is enough for high-performance BLIS",
// 2016).
#include "blocking.h"

#include <algorithm>

#include "check.h"
#include "integers.h"

namespace tileplan {
namespace {

std::int64_t way_bytes(const CacheLevel& cache) { return cache.capacity_bytes / cache.ways; }

// Whole ways for the resident operand when the streamed ones need `streamed` times as much and one
// way is left.
std::int64_t resident_ways(const CacheLevel& cache, double streamed) {
  return std::max<std::int64_t>(1, static_cast<std::int64_t>((cache.ways - 1) / (1 + streamed)));
}

// Largest nc whose B (kc x nc) takes b ways, whose C (mc x nc) takes the others, and A streams
// through one.
std::int64_t widest_columns(const CacheLevel& cache, const PackedBlocks& blocks,
                            int element_bytes) {
  std::int64_t widest = 0;
  for (std::int64_t b = 1; b <= cache.ways - 2; ++b) {
    const std::int64_t by_b = b * way_bytes(cache) / (blocks.kc * element_bytes);
    const std::int64_t by_c = (cache.ways - 1 - b) * way_bytes(cache) / (blocks.mc * element_bytes);
    widest = std::max(widest, std::min(by_b, by_c));
  }
  return std::max<std::int64_t>(1, widest);
}

}  // namespace

PackedBlocks packed_blocks(const GemmShape& shape, PanelWidths panel,
                           const std::vector<CacheLevel>& caches, int element_bytes) {
  const std::int64_t mr = panel.mr, nr = panel.nr;
  TILEPLAN_CHECK(caches.size() >= 2, "block sizes need an L1 and an L2");
  const CacheLevel& l1 = caches[0];
  const CacheLevel& l2 = caches[1];
  const double shape_ratio = static_cast<double>(nr) / static_cast<double>(mr);
  PackedBlocks blocks;

  const std::int64_t a1 = resident_ways(l1, shape_ratio);
  blocks.kc = std::clamp<std::int64_t>(a1 * way_bytes(l1) / (mr * element_bytes), 1, shape.k);
  const std::int64_t b1 = std::min(ceil_div(a1 * nr, mr), l1.ways - 1 - a1);
  blocks.l1_share_largest = static_cast<double>(b1) / l1.ways;
  blocks.l1_share =
      static_cast<double>(blocks.kc * nr * element_bytes) / static_cast<double>(l1.capacity_bytes);

  const std::int64_t a2 =
      resident_ways(l2, static_cast<double>(nr) / static_cast<double>(blocks.kc));
  blocks.mc =
      std::clamp<std::int64_t>(a2 * way_bytes(l2) / (blocks.kc * element_bytes), 1, shape.m);
  blocks.nc = caches.size() < 3
                  ? shape.n
                  : std::min(shape.n, widest_columns(caches[2], blocks, element_bytes));
  return blocks;
}

PackedBlocks whole_panels(PackedBlocks blocks, PanelWidths panel) {
  blocks.mc = std::max<std::int64_t>(1, blocks.mc / panel.mr) * panel.mr;
  blocks.nc = std::max<std::int64_t>(1, blocks.nc / panel.nr) * panel.nr;
  return blocks;
}

double packing_bytes(const GemmShape& shape, const PackedBlocks& blocks, int element_bytes) {
  const auto a = static_cast<double>(shape.m * shape.k);
  const auto b = static_cast<double>(shape.k * shape.n);
  return element_bytes * (a * static_cast<double>(ceil_div(shape.n, blocks.nc)) + b);
}

}  // namespace tileplan
