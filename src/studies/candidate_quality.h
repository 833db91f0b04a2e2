// SPDX-License-Identifier: Apache-2.0
// The study `candidates`: is the best schedule of a layer among those that are handed to other
// tuners, and do these differ?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study.h"

namespace tileplan {

/// A schedule that was measured, and where it comes from.
struct QualityRow {
  std::string schedule;
  int rank = 0;                      ///< in the list of candidates, from 1; 0: not in it
  std::string origin;                ///< of those not in the list: "records", "plan" or "random"
  double seconds = 0;                ///< mean of its first samples; infinite when it failed
  std::optional<double> again = {};  ///< median of the last measurement; the fastest only
};

/// The list of one layer in numbers.
struct ListQuality {
  std::string layer = {};
  int listed = 0;        ///< candidates of the list
  int looked_at = 0;     ///< of these, measured before the budget was over, or failed
  int others = 0;        ///< schedules of other origins that were measured
  int pairs = 0;         ///< distinct microkernels and order classes of the list
  int same_volumes = 0;  ///< candidates that move what an earlier one moves, at every level
  /// By the last measurement; missing when no candidate, or nothing else, had undisturbed samples.
  std::optional<double> best_listed = {}, best_other = {};
  int best_rank = 0;             ///< of the fastest candidate
  std::string best_origin = {};  ///< of the fastest of the others

  /// Returns seconds of the best candidate over those of the best schedule known, - 1: 0 when the
  /// list has it. Nothing without the times.
  std::optional<double> behind() const;
};

/// Returns the schedules of the list to measure again, then those of the others, without those that
/// failed: of each the `first` ones (of the list by rank, of the others in the order of `rows`),
/// then the `fastest` of what is left.
std::vector<std::string> promising_schedules(const std::vector<QualityRow>& rows,
                                             std::size_t fastest, std::size_t first);

/// Fills in what the rows tell: `looked_at`, `others` and the best ones.
ListQuality quality_of(const std::vector<QualityRow>& rows, ListQuality quality);

}  // namespace tileplan
