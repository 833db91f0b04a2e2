// SPDX-License-Identifier: Apache-2.0
// Adjacent dims whose iterations follow each other in memory are merged.
#pragma once

#include "computation.h"

namespace tileplan {

/// Returns `computation` with all pairs of adjacent dims merged that are one dim to every tensor. A
/// tensor that has the pair must have it in adjacent indices, each alone and unpadded, the second
/// over its whole length. The merged dim has both names, one after the other. Register tiles along
/// it need not divide either extent. Without such a pair the result equals `computation`.
/// Example: rows and columns of a 1 x 1 convolution over 7 x 7 pixels become the dim hw of 49.
Computation merge_adjacent_dims(const Computation& computation);

/// Returns the computation of `problem` in the dims of `schedule`, merged where it names a merged
/// dim. Throws Error as computation_of(problem).
Computation computation_of(const Problem& problem, const Schedule& schedule);

/// Holds the computation of one problem with its dims as they are and with adjacent ones merged.
/// Many schedules can share it, so that isl reads the relations once, which takes a millisecond.
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
