// SPDX-License-Identifier: Apache-2.0
// Block sizes of a packed matrix product from the ways of the caches. models/README.md eq. (W).
#pragma once

#include <cstdint>
#include <vector>

#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

/// Rows and columns of C that a microkernel updates, elements.
struct PanelWidths {
  int mr = 1;
  int nr = 1;
};

/// C[mc x nc] += A[mc x kc] * B[kc x nc], all packed. Sizes in elements, not yet rounded to whole
/// panels.
struct PackedBlocks {
  std::int64_t mc = 0, kc = 0, nc = 0;
  double l1_share = 0;          ///< of L1 that the panel of B (kc x nr) fills
  double l1_share_largest = 0;  ///< of L1 that it may fill beside the panel of A and one way for C

  bool operator==(const PackedBlocks&) const = default;
};

/// kc, mc and nc by whole ways: a panel of A and one of B in L1, A in L2, B in L3, one way of each
/// cache left to what streams; never above the extents of `shape`. Without a third cache nc is the
/// extent n. Requires at least two caches of at least two ways, the third of at least three;
/// element_bytes >= 1. Example: 6 x 8 doubles, L1 32 KiB 8-way, L2 256 KiB 8-way: kc = 256, mc
/// = 96.
PackedBlocks packed_blocks(const GemmShape& shape, PanelWidths panel,
                           const std::vector<CacheLevel>& caches, int element_bytes);

/// `blocks` with mc and nc rounded down to whole panels, at least one panel each.
PackedBlocks whole_panels(PackedBlocks blocks, PanelWidths panel);

/// Bytes that packing reads, and as many that it writes: A once for each block of nc columns, B
/// once.
double packing_bytes(const GemmShape& shape, const PackedBlocks& blocks, int element_bytes);

}  // namespace tileplan
