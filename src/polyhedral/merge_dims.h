// SPDX-License-Identifier: Apache-2.0
// Adjacent dims whose iterations follow each other in memory are merged.
#pragma once

#include "computation.h"

namespace tileplan {

/// Returns `computation` with each pair of adjacent dims merged that every tensor can address as
/// one dim. A tensor that has the pair must have both dims in adjacent indices, each dim alone in
/// its index and unpadded, and the second dim must cover its whole index. The merged dim has both
/// names, one after the other. Register tiles along the merged dim need not divide either extent.
/// Without such a pair the result equals `computation`. Example: rows and columns of a 1 x 1
/// convolution over 7 x 7 pixels become the dim hw of 49.
Computation merge_adjacent_dims(const Computation& computation);

/// Returns the computation of `problem` in the dims of `schedule`, merged where the schedule names
/// a merged dim. Throws Error as computation_of(problem) does.
Computation computation_of(const Problem& problem, const Schedule& schedule);

/// Holds the computation of one problem with its original dims and with adjacent dims merged. Many
/// schedules share one object, so that isl reads the relations once, which takes a millisecond.
class ComputationVariants {
 public:
  /// Throws Error as computation_of(problem).
  explicit ComputationVariants(const Problem& problem);
  /// Returns the computation in the dims that `schedule` names.
  const Computation& of(const Schedule& schedule) const;

 private:
  Computation whole_, merged_;
};

}  // namespace tileplan
