// SPDX-License-Identifier: Apache-2.0
// The study `smallgemm`: products with few rows, where the register tile rarely divides them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gemm_peers.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"

namespace tileplan {

/// m = 8 ... 50, n = k = 128.
std::vector<GemmShape> small_shapes();

struct SmallGemmOptions {
  std::vector<GemmShape> shapes = small_shapes();
  /// Of smallgemm.csv, smallgemm.svg and summary.txt; made when it is missing.
  std::string folder;
  /// Seconds per shape, waiting included: choosing schedules, then the pairs.
  double budget_seconds = 4;
  /// Undisturbed pairs of each comparison after which it ends.
  int pairs = 15;
  std::uint64_t seed = 1;  ///< of the matrices
  bool resume = false;     ///< go on with the smallgemm.csv that is there
  std::string version = {};
};

/// Of each shape: our plan (combinations of register tiles that cover m exactly), the one register
/// tile that is fastest on `machine` with a smaller tile for the rows left over, the same padded to
/// whole tiles (padding is no work and copying into it is not timed), and `peers`. All are checked;
/// schedules are chosen by measurement; then each is measured in adjacent pairs with our plan, hot
/// caches, one thread. Ours read B packed before; what peers pack is in their time. Ends early,
/// with the shapes that are complete, when request_stop() was called. Requires: `machine` is this
/// host. Throws Error when an option makes no sense, and as StudyTable does.
void study_smallgemm(const Machine& machine, const SmallGemmOptions& options,
                     const std::vector<GemmPeer>& peers,
                     const std::function<void(const std::string&)>& say);

}  // namespace tileplan
