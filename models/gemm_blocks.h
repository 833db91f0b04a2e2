// SPDX-License-Identifier: Apache-2.0
// The GEMM family's closed form gives block sizes from the ways of each cache: models/README.md
// eq. (G).
#pragma once

#include <vector>

#include "tileplan/gemm_variant.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds the sizes on which the formula for block sizes depends.
struct GemmSizes {
  std::int64_t m = 1, n = 1, k = 1;
  std::int64_t mr = 1, nr = 1;
  std::int64_t element_bytes = 4;
};

/// Returns mc, nc and kc of B3A2C0 such that blocks fill whole ways of the first three caches (Low
/// et al., 2016). The sizes are at most m, n and k, and are not rounded to multiples of mr and nr.
/// Without a third cache, nc is n, and without a second one, mc is m. Requires at least one cache,
/// and positive sizes.
GemmBlocks closed_form_blocks(const GemmSizes& sizes, const std::vector<CacheLevel>& caches);

/// Holds the largest shares of caches that the formula gives to the panel of A (mr x kc) and of B
/// (kc x nr) in the first cache and to the block of A (mc x kc) in the second.
struct GemmShares {
  double a_in_first = 0, b_in_first = 0, a_in_second = 0;
};

GemmShares closed_form_shares(const GemmSizes& sizes, const std::vector<CacheLevel>& caches);

}  // namespace tileplan
