// SPDX-License-Identifier: Apache-2.0
// Panels of A and B take whole ways of a cache, so that a new panel evicts an old panel instead of
// the block that is reused.
#include "gemm_blocks.h"

#include <algorithm>
#include <cmath>

namespace tileplan {
namespace {

double way_bytes(const CacheLevel& cache) {
  return static_cast<double>(cache.capacity_bytes) / cache.ways;
}

/// Returns the number of ways of `cache`, at least 1, for an operand that shares the cache with a
/// second operand of `ratio` times its size. One way is left for the third operand.
double ways_of_larger(const CacheLevel& cache, double ratio) {
  return std::max(1.0, std::floor((cache.ways - 1) / (1 + ratio)));
}

double ratio_in_first(const GemmSizes& sizes) {
  return static_cast<double>(sizes.nr) / static_cast<double>(sizes.mr);
}

std::int64_t whole(double size, std::int64_t most) {
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(size)), 1, most);
}

}  // namespace

GemmBlocks closed_form_blocks(const GemmSizes& sizes, const std::vector<CacheLevel>& caches) {
  const auto bytes = static_cast<double>(sizes.element_bytes);
  GemmBlocks blocks{.mc = sizes.m, .nc = sizes.n, .kc = sizes.k, .mr = sizes.mr, .nr = sizes.nr};
  const CacheLevel& first = caches.front();
  blocks.kc = whole(ways_of_larger(first, ratio_in_first(sizes)) * way_bytes(first) /
                        (static_cast<double>(sizes.mr) * bytes),
                    sizes.k);
  if (caches.size() < 2) return blocks;
  const auto kc = static_cast<double>(blocks.kc);
  const double beside = static_cast<double>(sizes.nr) / kc;
  blocks.mc =
      whole(ways_of_larger(caches[1], beside) * way_bytes(caches[1]) / (kc * bytes), sizes.m);
  if (caches.size() < 3) return blocks;
  constexpr int kOthers = 2;  // One way is left for A and one for C.
  const double ways = std::max(1, caches[2].ways - kOthers);
  blocks.nc =
      whole(ways * way_bytes(caches[2]) / (static_cast<double>(blocks.mc) * bytes), sizes.n);
  return blocks;
}

GemmShares closed_form_shares(const GemmSizes& sizes, const std::vector<CacheLevel>& caches) {
  const CacheLevel& first = caches.front();
  const double ratio = ratio_in_first(sizes);
  const double ways_a = ways_of_larger(first, ratio);
  const double ways_b = std::min(std::ceil(ways_a * ratio), std::max(0.0, first.ways - 1 - ways_a));
  GemmShares shares{.a_in_first = ways_a / first.ways, .b_in_first = ways_b / first.ways};
  if (caches.size() < 2) return shares;
  const GemmBlocks blocks = closed_form_blocks(sizes, caches);
  const double beside = static_cast<double>(sizes.nr) / static_cast<double>(blocks.kc);
  shares.a_in_second = ways_of_larger(caches[1], beside) / caches[1].ways;
  return shares;
}

}  // namespace tileplan
