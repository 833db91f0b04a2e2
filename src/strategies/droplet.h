// SPDX-License-Identifier: Apache-2.0
// Searches by the coordinate descent of "The Droplet Search Algorithm for Kernel Scheduling".
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

struct DropletOptions {
  SpacePoint origin;
  /// Level of Student's test at which a neighbour is faster; 1: when its mean is smaller.
  double p_value = 0.05;
  /// Smaller batches are filled with the neighbours of the point that the last move would reach if
  /// it went on; 1: no speculation.
  int width = 16;
};

struct DropletPath {
  std::vector<SpacePoint> candidates;  ///< the origin, then each point that was moved to
  int batches = 0;
};

/// Moves to the fastest neighbour while it is significantly faster. Requires: the origin is valid.
DropletPath droplet_search(const StrategySpace& space, SearchSession& session,
                           const DropletOptions& options);

/// Replays AutoTVM's variant: 0/1 patterns over all coordinates times a growing step, places that
/// wrap around, and one queued point lost per batch.
DropletPath droplet_tvm(const StrategySpace& space, SearchSession& session,
                        const DropletOptions& options);

}  // namespace tileplan
