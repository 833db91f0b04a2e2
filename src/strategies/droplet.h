// SPDX-License-Identifier: Apache-2.0
// This file searches by the coordinate descent of "The Droplet Search Algorithm for Kernel
// Scheduling".
#pragma once

#include "search_session.h"
#include "search_space.h"

namespace tileplan {

struct DropletOptions {
  SpacePoint origin;
  /// A point with a smaller mean time counts as faster if Student's t-test gives at most this
  /// p-value, or if the other point failed. With 1, only the means are compared. droplet_tvm()
  /// compares only the means if the new point has a single sample.
  double p_value = 0.05;
  /// In droplet_search(), batches below this size also contain the neighbours of the next point in
  /// the direction of the last move. In droplet_tvm(), a batch has at most this many points, and
  /// shorter queues are filled with larger steps.
  int width = 16;
};

struct DropletPath {
  /// droplet_search() lists the origin and then the end point of each move. droplet_tvm() lists the
  /// first measured point, which is the origin if it is valid, and each later point that replaced
  /// the best one.
  std::vector<SpacePoint> candidates;
  int batches = 0;
};

/// Measures the neighbours of the current point that were not measured yet, and in small batches
/// also the points that DropletOptions::width describes. Moves to the fastest point of the batch,
/// and repeats this until that point is not significantly faster than the current point, the batch
/// is empty, or the session ends. Requires a valid origin.
DropletPath droplet_search(const StrategySpace& space, SearchSession& session,
                           const DropletOptions& options);

/// Runs AutoTVM's variant of droplet search. It adds and subtracts 0/1 patterns over all
/// coordinates, multiplied by a step that grows until a better point is found. Indices past the end
/// of a list wrap around, and negative indices become 0. One queued point is lost per batch.
DropletPath droplet_tvm(const StrategySpace& space, SearchSession& session,
                        const DropletOptions& options);

}  // namespace tileplan
