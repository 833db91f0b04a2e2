// SPDX-License-Identifier: Apache-2.0
// The study `candidates` tests whether the list that candidates() makes for other tuners has a
// schedule that is as fast as the best one known.
#pragma once

#include "study.h"

namespace tileplan {

struct QualityRow {
  std::string schedule;
  /// This is the position in the list, from 1 on, or 0 for a schedule outside the list.
  int rank = 0;
  std::string origin;  ///< This is "records", "plan", "random" or "list".
  double seconds = 0;  ///< Holds the mean of the first samples, or infinity for a failure.
  std::optional<double> again = {};  ///< Holds the median of the final measurement in seconds.
};

struct ListQuality {
  std::string layer = {};
  int listed = 0;     ///< The list has this many candidates.
  int looked_at = 0;  ///< Counts the candidates that were measured or failed.
  int others = 0;     ///< Counts the other schedules that were measured or failed.
  int pairs = 0;      ///< The list has this many different pairs of microkernel and order class.
  /// This many candidates cause the same memory traffic as an earlier candidate.
  int same_volumes = 0;
  /// These are the shortest times of the final measurement in seconds, if there are any.
  std::optional<double> best_listed = {}, best_other = {};
  /// The fastest candidate of the list has this rank. It is 0 if `best_listed` is empty.
  int best_rank = 0;
  std::string best_origin = {};  ///< The fastest schedule outside the list has this origin.

  /// Returns how much slower the best of the list is than the best schedule: best_listed /
  /// min(best_listed, best_other) - 1. Returns nothing unless both are known.
  std::optional<double> behind() const;
};

/// Returns schedules with valid samples. From the list, it takes the `first` schedules with the
/// best ranks, then the `fastest` fastest of the rest. From the other schedules, it takes the
/// `first` that were measured earliest, then the `fastest` fastest of the rest.
std::vector<std::string> promising_schedules(const std::vector<QualityRow>& rows,
                                             std::size_t fastest, std::size_t first);

/// Returns `quality` with the fields that follow from `rows`: counts, best times, rank and origin.
ListQuality quality_of(const std::vector<QualityRow>& rows, ListQuality quality);

}  // namespace tileplan
