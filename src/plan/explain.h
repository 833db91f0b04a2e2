// SPDX-License-Identifier: Apache-2.0
// This file explains what the model says about one schedule, level by level.
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
/// those of one cache. Volumes (of cold caches) and bounds count all caches of the level that the
/// threads use.
struct LevelExplanation {
  Tile cut{};                          ///< The cache holds this box while it is reused.
  PerTensor<std::int64_t> footprints;  ///< The box has these.
  std::int64_t required = 0;           ///< Eq. (C) gives the need of the box.
  std::int64_t capacity = 0;           ///< Only the usable part counts.
  std::string limit;           ///< It says why the cache holds no larger box, if it does not.
  bool holds_cut = true;       ///< It is false when not even the register tile fits.
  double slowness = 1;         ///< models/short_rows.h defines it for the input.
  bool holds_problem = false;  ///< The cache then has no traffic in the hot regime.
  /// These elements enter by eq. (X) and (N), without the last visits of `nt`. They include padding
  /// and the weights that meet it, like the bound and unlike the prediction's link.
  PerTensor<std::int64_t> volumes;
  PerTensor<std::int64_t> moved_bytes;  ///< Outputs are written back too, in whole elements.
  LowerBound bound;                     ///< Any schedule needs these loads at this capacity.
  double bound_bytes = 0;  ///< Any schedule transfers them. Outputs stream if they stream here.

  std::int64_t footprint() const {
    return footprints.values[0] + footprints.values[1] + footprints.values[2];
  }
  std::int64_t all_moved_bytes() const {
    return moved_bytes.values[0] + moved_bytes.values[1] + moved_bytes.values[2];
  }
  /// Returns the moved bytes divided by their bound, at least 1.
  double distance() const { return static_cast<double>(all_moved_bytes()) / bound_bytes; }
};

struct Explanation {
  Computation computation;
  Machine machine;
  Candidate candidate;                   ///< It has a prediction and no measurement.
  std::vector<LevelExplanation> levels;  ///< The innermost is first, as in the prediction.
  std::vector<BranchCompute> compute;    ///< One core makes all calls.
  Repack repack;                         ///< The prediction includes it.
  double peak_seconds = 0;               ///< All cores multiply and add at their peak.
  std::vector<std::string> rejected;     ///< These are reasons against the schedule.
};

/// Returns the prediction of `schedule` on the cores of `machine` and its parts. A schedule that a
/// level or the registers cannot hold, or that `compile` refuses, is explained as well, and
/// `rejected` says why it would not be chosen. Throws Error as `predict` does, when products differ
/// from the extents or layouts do not exist.
Explanation explain(const Problem& problem, const Machine& machine, const Schedule& schedule,
                    Capacity capacity = Capacity::lru2);

}  // namespace tileplan
