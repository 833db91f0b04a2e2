// SPDX-License-Identifier: Apache-2.0
// All kernels x loop orders x tiles of one problem -> scored schedules.
#pragma once

#include <vector>

#include "certificate.h"
#include "expand_schedules.h"

namespace tileplan {

/// What is searched.
struct SweepSpace {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;  ///< with the cores that a schedule may use
  const Options& options;
};

/// What was found.
struct Sweep {
  Candidates candidates;
  SearchRecord record;               ///< of the exact searches along the first vectorised dim
  std::vector<KernelCombo> kernels;  ///< those of the record
  bool has_narrow = false;           ///< vectors of the narrow unit were searched too
};

/// Every kernel that covers the problem: a diverse few with what is close to their optima, then
/// those that could still hold the optimum of the band model, the best ones again with uneven
/// splits; vectors of pixels; combinations of sizes along two dims; kernels that the band model
/// sets aside although predictions do not exclude them. All of it again with the machine's narrow
/// vectors where cores may compute faster with them. Pure. Throws Error as `layouts_of` does.
Sweep sweep(const SweepSpace& space);

}  // namespace tileplan
