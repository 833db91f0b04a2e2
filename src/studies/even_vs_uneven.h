// SPDX-License-Identifier: Apache-2.0
// The studies `combinations`, `divisibility` and `distribution` compare two sets of schedules.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns whether two tiles of different sizes share a dimension (an L).
bool is_uneven(const Schedule& schedule);

struct TimedSchedule {
  std::string schedule;
  double predicted_seconds = 0;
  double seconds = 0;  ///< mean of its samples
  /// Median of a second measurement: the smallest of many noisy times flatters its schedule.
  std::optional<double> again_seconds = {};
};

/// Schedules of one layer, fastest first, without those that failed or were never undisturbed.
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
