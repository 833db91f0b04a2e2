// SPDX-License-Identifier: Apache-2.0
// The studies `combinations`, `divisibility` and `distribution` compare two sets of schedules.
#pragma once

#include "study.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns whether two tiles of different sizes share a dimension (an L).
bool is_uneven(const Schedule& schedule);

struct TimedSchedule {
  std::string schedule;
  double predicted_seconds = 0;
  double seconds = 0;  ///< It is the mean of the samples.
  /// The median is taken again, because the smallest of many noisy times is too good.
  std::optional<double> again_seconds = {};
};

/// The fastest schedules come first. None failed or was never undisturbed.
struct EvenAndUneven {
  std::vector<TimedSchedule> even, uneven;
};

/// Returns the smallest second time; nothing when there is none.
std::optional<double> best_again(const std::vector<TimedSchedule>& schedules);

/// Returns the smallest prediction; nothing when there is none.
std::optional<double> best_predicted(const std::vector<TimedSchedule>& schedules);

struct KindNames {
  std::string even, uneven;
};

/// Returns lines "layer,kind,predicted_s,seconds,again_s,schedule".
std::string kind_rows(const std::string& layer, const KindNames& names, const EvenAndUneven& kinds);

}  // namespace tileplan
