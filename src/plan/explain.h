// SPDX-License-Identifier: Apache-2.0
// This file explains everything that the model says about one schedule, level by level.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bounds.h"
#include "computation.h"
#include "compute.h"
#include "movement.h"
#include "repack.h"
#include "tileplan/plan.h"

namespace tileplan {

/// Explains one level, in elements unless said otherwise. Boxes, footprints and capacities are
/// those of one cache. Volumes (of cold caches) and bounds are those of all caches of the level
/// that the threads use.
struct LevelExplanation {
  Tile cut{};                          ///< the box that it holds while it is reused
  PerTensor<std::int64_t> footprints;  ///< of the cut
  std::int64_t required = 0;           ///< the cut, by lru2 with its neighbour, or its lines: (C)
  std::int64_t capacity = 0;           ///< usable
  std::string limit;                   ///< why it holds no larger box; empty when it holds all
  bool holds_cut = true;               ///< false: not even the register tile fits
  double slowness = 1;                 ///< of the input's lines on the link: models/short_rows.h
  bool holds_problem = false;          ///< its part of the arrays fits: it is idle with hot caches
  /// Elements that enter, eq. (X), (N), without the last visits of `nt`. Like the bound, and unlike
  /// the prediction's link, they include padding and the weights that meet it.
  PerTensor<std::int64_t> volumes;
  PerTensor<std::int64_t>
      moved_bytes;         ///< of the volumes, with outputs written back; no partial lines
  LowerBound bound;        ///< loads that any schedule needs at this capacity
  double bound_bytes = 0;  ///< that any schedule moves, streaming outputs if this one does

  std::int64_t footprint() const {
    return footprints.values[0] + footprints.values[1] + footprints.values[2];
  }
  std::int64_t all_moved_bytes() const {
    return moved_bytes.values[0] + moved_bytes.values[1] + moved_bytes.values[2];
  }
  /// Returns the moved bytes over their bound, at least 1.
  double distance() const { return static_cast<double>(all_moved_bytes()) / bound_bytes; }
};

struct Explanation {
  Computation computation;
  Machine machine;
  Candidate candidate;                   ///< with its prediction; not measured
  std::vector<LevelExplanation> levels;  ///< as in the prediction, innermost first
  std::vector<BranchCompute> compute;    ///< of one core that makes all calls
  Repack repack;                         ///< what nchw costs; part of the prediction
  double peak_seconds = 0;               ///< all multiply-adds at the peak of all cores
  std::vector<std::string> rejected;     ///< reasons against the schedule; empty: none
};

/// Returns the prediction of `schedule` on the cores of `machine` and its parts. A schedule that a
/// level or the registers cannot hold, or that `compile` refuses, is explained as well; `rejected`
/// says why it would not be chosen. Throws Error as `predict` does: products that differ from the
/// extents, layouts that do not exist.
Explanation explain(const Problem& problem, const Machine& machine, const Schedule& schedule,
                    Capacity capacity = Capacity::lru2);

}  // namespace tileplan
