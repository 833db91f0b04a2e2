// SPDX-License-Identifier: Apache-2.0
// The study `candidates` asks whether the best schedule is among those handed to other tuners.
#pragma once

#include "study.h"

namespace tileplan {

struct QualityRow {
  std::string schedule;
  int rank = 0;        ///< It counts from 1 in the list of candidates; 0 is not in the list.
  std::string origin;  ///< It is "records", "plan", "random" or "list".
  double seconds = 0;  ///< It is the mean of the first samples; infinite when it failed.
  std::optional<double> again = {};  ///< The last measurement has this median.
};

struct ListQuality {
  std::string layer = {};
  int listed = 0;     ///< The list has so many candidates.
  int looked_at = 0;  ///< So many candidates were measured before the budget was over, or failed.
  int others = 0;     ///< So many schedules of other origins were measured.
  int pairs = 0;      ///< The list has so many pairs of a microkernel and an order class.
  int same_volumes = 0;  ///< So many candidates load as much as an earlier one, at every level.
  /// The last measurement counts. One is missing when nothing of its kind was undisturbed.
  std::optional<double> best_listed = {}, best_other = {};
  int best_rank = 0;             ///< The fastest candidate has it.
  std::string best_origin = {};  ///< The fastest of the others has it.

  /// Returns t_listed / min(t_listed, t_other) - 1; nothing unless both are known.
  std::optional<double> behind() const;
};

/// Returns the `first` ones and the `fastest` of the rest, of the list and then of the others.
std::vector<std::string> promising_schedules(const std::vector<QualityRow>& rows,
                                             std::size_t fastest, std::size_t first);

/// Fills in what the rows tell: `looked_at`, `others` and the best ones.
ListQuality quality_of(const std::vector<QualityRow>& rows, ListQuality quality);

}  // namespace tileplan
