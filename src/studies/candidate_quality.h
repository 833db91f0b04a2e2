// SPDX-License-Identifier: Apache-2.0
// The study `candidates` asks whether the list for other tuners contains the best schedule.
#pragma once

#include "study.h"

namespace tileplan {

struct QualityRow {
  std::string schedule;
  int rank = 0;                      ///< The list of candidates starts at 1; 0 is not in the list.
  std::string origin;                ///< The origin is "records", "plan", "random" or "list".
  double seconds = 0;                ///< The mean of the first samples is infinite for a failure.
  std::optional<double> again = {};  ///< The final measurement has this median.
};

struct ListQuality {
  std::string layer = {};
  int listed = 0;        ///< The list has this many candidates.
  int looked_at = 0;     ///< This many candidates were measured or failed.
  int others = 0;        ///< This many schedules of other origins were measured.
  int pairs = 0;         ///< The candidates have this many pairs of microkernel and loop order.
  int same_volumes = 0;  ///< This many candidates equal an earlier one in traffic at every level.
  /// Times are from the final measurement, and missing without valid samples.
  std::optional<double> best_listed = {}, best_other = {};
  int best_rank = 0;             ///< The fastest candidate has this rank.
  std::string best_origin = {};  ///< The fastest of the other schedules has this origin.

  /// Returns t_listed / min(t_listed, t_other) - 1, or nothing unless both times are known.
  std::optional<double> behind() const;
};

/// Returns the first `first` and the `fastest` fastest schedules of the list, then of the others.
std::vector<std::string> promising_schedules(const std::vector<QualityRow>& rows,
                                             std::size_t fastest, std::size_t first);

/// Returns `quality` with the values that follow from the rows: `looked_at`, `others` and the best.
ListQuality quality_of(const std::vector<QualityRow>& rows, ListQuality quality);

}  // namespace tileplan
