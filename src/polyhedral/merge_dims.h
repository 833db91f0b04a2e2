// SPDX-License-Identifier: Apache-2.0
// This file merges two adjacent dimensions that are contiguous in memory into one.
#pragma once

#include "computation.h"

namespace tileplan {

/// Returns `computation` with adjacent dimensions merged wherever every tensor can address both as
/// one. A tensor can do so if it lacks both, or has them in adjacent indices, each alone in its
/// index with stride 1, unpadded and over its whole extent. Nothing is merged in a product with a
/// distance above 0 between matrices of A, or any between matrices of C. Dimensions of extent 1 are
/// not merged. The merged dimension has both names: rows and columns of a 1 x 1 convolution over
/// 7 x 7 pixels become the dimension hw of 49, so a register tile need not divide 7.
Computation merge_adjacent_dims(const Computation& computation);

/// Returns the computation of `problem` in the dimensions of `schedule`: those of
/// merge_adjacent_dims() if the schedule names a merged dimension, and otherwise the original ones.
/// Throws Error as computation_of(problem) does.
Computation computation_of(const Problem& problem, const Schedule& schedule);

/// Holds the computation of one problem with its original dimensions and with adjacent dimensions
/// merged. Many schedules share one object, so that isl reads the relations once, which takes a
/// millisecond.
class ComputationVariants {
 public:
  /// Throws Error as computation_of(problem) does.
  explicit ComputationVariants(const Problem& problem);
  /// Returns the computation in the dimensions that `schedule` names.
  const Computation& of(const Schedule& schedule) const;

 private:
  Computation whole_, merged_;
};

}  // namespace tileplan
