// SPDX-License-Identifier: Apache-2.0
// This file declares what strategies know of the problem whose schedules they search.
#pragma once

#include "schedule_space.h"

namespace tileplan {

struct SearchProblem {
  const Computation& computation;
  const Machine& machine;
  const ScheduleSpace& space;
  /// The strategy `model` measures these schedules in this order.
  std::vector<std::string> ranked = {};
};

}  // namespace tileplan
