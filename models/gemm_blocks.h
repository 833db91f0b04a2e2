// SPDX-License-Identifier: Apache-2.0
// These functions compute block sizes of packed matrix products from the ways of each cache, and
// the shares of the caches that blocks fill, by the closed form of Low et al. (2016):
// models/README.md eq. (G).
#pragma once

#include <vector>

#include "tileplan/gemm_variant.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds the sizes on which block sizes depend: A has m x k elements, B has k x n, a register tile
/// has mr x nr elements of C, and an element has `element_bytes` bytes.
struct GemmSizes {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t mr = 1, nr = 1;
  std::int64_t element_bytes = 4;
};

/// Returns mc, nc and kc of the variant B3A2C0 (gemm_variant.h) such that mr x kc, mc x kc and mc x
/// nc elements fill whole ways of the first, second and third cache. mc, nc and kc are at least 1
/// and at most m, n and k, and are rounded down, but not to multiples of mr and nr. Without a third
/// cache, nc is n, and without a second one, mc is m.
/// Requires at least one cache, and positive sizes.
GemmBlocks closed_form_blocks(const GemmSizes& sizes, const std::vector<CacheLevel>& caches);

/// Holds the largest shares of caches that the formula gives to the panel of A (mr x kc) and of B
/// (kc x nr) in the first cache and to the block of A (mc x kc) in the second.
struct GemmShares {
  double a_in_first = 0, b_in_first = 0, a_in_second = 0;
};

/// Returns the shares for the blocks of closed_form_blocks(). Without a second cache, `a_in_second`
/// is 0. Requires what closed_form_blocks() requires.
GemmShares closed_form_shares(const GemmSizes& sizes, const std::vector<CacheLevel>& caches);

}  // namespace tileplan
