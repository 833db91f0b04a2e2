// SPDX-License-Identifier: Apache-2.0
// The study `candidates` tests whether the list for other tuners contains the best schedule.
#pragma once

#include "study.h"

namespace tileplan {

struct QualityRow {
  std::string schedule;
  int rank = 0;        ///< The list starts with rank 1; 0 means not in the list.
  std::string origin;  ///< The origin is "records", "plan", "random" or "list".
  double seconds = 0;  ///< Holds the mean of the first samples, or infinity for a failure.
  std::optional<double> again = {};  ///< The final measurement has this median.
};

struct ListQuality {
  std::string layer = {};
  int listed = 0;        ///< The list has this many candidates.
  int looked_at = 0;     ///< This many candidates were measured or failed.
  int others = 0;        ///< This many schedules of other origins were measured.
  int pairs = 0;         ///< The list has this many pairs of microkernel and loop order.
  int same_volumes = 0;  ///< This many candidates have the memory traffic of an earlier one.
  /// The final measurement took these times, which are missing without valid samples.
  std::optional<double> best_listed = {}, best_other = {};
  int best_rank = 0;             ///< The fastest candidate has this rank.
  std::string best_origin = {};  ///< The fastest schedule outside the list has this origin.

  /// Returns best_listed / min(best_listed, best_other) - 1, or nothing unless both are known.
  std::optional<double> behind() const;
};

/// Returns the first `first` and the fastest `fastest` schedules of the list, then of the others.
std::vector<std::string> promising_schedules(const std::vector<QualityRow>& rows,
                                             std::size_t fastest, std::size_t first);

/// Returns `quality` with the fields that follow from `rows`: counts, best times, rank and origin.
ListQuality quality_of(const std::vector<QualityRow>& rows, ListQuality quality);

}  // namespace tileplan
