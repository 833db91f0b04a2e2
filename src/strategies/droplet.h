// SPDX-License-Identifier: Apache-2.0
// Searches by the coordinate descent of "The Droplet Search Algorithm for Kernel Scheduling".
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

struct DropletOptions {
  SpacePoint origin;
  /// A neighbour is taken only when Student's test says at this level that it is faster; 1:
  /// whenever its mean is smaller. 0.05 is the paper's; larger values follow noise downhill.
  double p_value = 0.05;
  /// Points prepared together: batches with fewer are filled with the neighbours of the point that
  /// the last move would reach if it went on. 1: no speculation. The paper's machine had 16
  /// evaluators.
  int width = 16;
};

/// The course of a descent, for the studies.
struct DropletPath {
  std::vector<SpacePoint> candidates;  ///< the origin, then each point that was moved to
  int batches = 0;
};

/// Measures neighbours of the candidate and moves to the fastest one while it is significantly
/// faster; stops otherwise. Requires: the origin is valid.
DropletPath droplet_search(const StrategySpace& space, SearchSession& session,
                           const DropletOptions& options);

/// Searches as AutoTVM does: moves are 0/1 patterns over all coordinates times a step that grows
/// from batch to batch, places wrap around at the end of a list, and one queued point is lost per
/// batch. Only for replaying its results.
DropletPath droplet_tvm(const StrategySpace& space, SearchSession& session,
                        const DropletOptions& options);

}  // namespace tileplan
