// SPDX-License-Identifier: Apache-2.0
// Searches by the coordinate descent of "The Droplet Search Algorithm for Kernel Scheduling".
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

struct DropletOptions {
  SpacePoint origin;
  /// A neighbour is faster at this level of Student's test, and at 1 when its mean is smaller.
  double p_value = 0.05;
  /// Smaller batches take the neighbours of the point that the last move would reach if it went on.
  int width = 16;
};

struct DropletPath {
  std::vector<SpacePoint> candidates;  ///< The origin comes first, then the end of each move.
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
