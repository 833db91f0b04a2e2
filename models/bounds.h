// SPDX-License-Identifier: Apache-2.0
// I/O lower bounds: elements that any schedule must load into a fast memory. model.md 7.
#pragma once

#include <cstdint>

#include "computation.h"

namespace tileplan {

struct LowerBound {
  double lb1 = 0;         ///< 2V/sqrt(tau S) - 2S
  double lb2 = 0;         ///< the sharper segment bound
  double compulsory = 0;  ///< every touched element once
  double bound = 0;       ///< the largest of the three
};

/// Loads into a fast memory of `capacity` elements. Requires capacity >= 1. Any stride, dilation, groups and batch.
LowerBound lower_bound(const Computation& computation, double capacity);

}  // namespace tileplan
