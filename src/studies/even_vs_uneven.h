// SPDX-License-Identifier: Apache-2.0
// The studies `combinations` and `divisibility` compare schedules with and without uneven splits,
// and the study `distribution` compares random schedules with the model's first ones.
#pragma once

#include "plot.h"
#include "study.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns true when `schedule` divides a dimension into tiles of different sizes with a list of
/// blocks (lambda, written L).
bool is_uneven(const Schedule& schedule);

struct TimedSchedule {
  std::string schedule;
  double predicted_seconds = 0;
  double seconds = 0;  ///< Holds the mean of the samples.
  /// Holds the median of later samples, because the minimum of many noisy times is biased.
  std::optional<double> again_seconds = {};
};

/// Holds the schedules with valid samples, fastest first.
struct EvenAndUneven {
  std::vector<TimedSchedule> even, uneven;
};

/// Returns the smallest `again_seconds`, or nothing when no schedule has one.
std::optional<double> best_again(const std::vector<TimedSchedule>& schedules);

/// Returns the smallest prediction, or nothing when there are no schedules.
std::optional<double> best_predicted(const std::vector<TimedSchedule>& schedules);

struct KindNames {
  std::string even, uneven;
};

/// Returns lines with the columns "layer,kind,predicted_s,seconds,again_s,schedule".
std::string kind_rows(const std::string& layer, const KindNames& names, const EvenAndUneven& kinds);

/// Returns the seconds that `problem` takes at the peak of one core, with work on padding included.
double peak_seconds(const Problem& problem, const Machine& machine);

/// Returns the share of `all` that is slower than `seconds`. Requires that `all` is not empty.
double share_slower(const std::vector<double>& all, double seconds);

/// Returns, for the percentage of peak of each schedule, the share of schedules that reach at least
/// this percentage. Requires that `seconds` is positive and ascending. Example: 1 and 2 s with a
/// peak of 1 s give (50, 1) and (100, 0.5).
PlotSeries share_curve(const std::string& name, const std::vector<double>& seconds,
                       double peak_seconds);

std::string share_plot(const std::string& layer, const Machine& machine,
                       std::vector<PlotSeries> curves);

}  // namespace tileplan
