// SPDX-License-Identifier: Apache-2.0
// Two dims that walk memory as one become one dim.
#pragma once

#include "computation.h"

namespace tileplan {

/// `computation` with every pair of neighbouring dims merged that every tensor walks as one: those
/// with them have them in neighbouring indices, alone, unpadded, and in the second over its whole
/// length. The merged dim has both names, one after the other. Register tiles along it need not
/// divide either extent. Equal to `computation` when there is no such pair.
/// Example: rows and columns of a 1 x 1 convolution over 7 x 7 pixels become the dim hw of 49.
Computation merge_adjacent_dims(const Computation& computation);

/// The computation of `problem` in the dims of `schedule`: merged where it names a merged dim.
/// Throws Error as computation_of(problem).
Computation computation_of(const Problem& problem, const Schedule& schedule);

/// The same for many schedules of one problem, whose relations isl reads once: a millisecond.
class Readings {
 public:
  /// Throws Error as computation_of(problem).
  explicit Readings(const Problem& problem);
  const Computation& of(const Schedule& schedule) const;

 private:
  Computation whole_, joined_;
};

}  // namespace tileplan
