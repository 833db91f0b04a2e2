// SPDX-License-Identifier: Apache-2.0
// The study `candidates` asks whether the best schedule is among those handed to other tuners.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study.h"

namespace tileplan {

struct QualityRow {
  std::string schedule;
  int rank = 0;                      ///< in the list of candidates, from 1; 0: not in it
  std::string origin;                ///< of those not in the list: "records", "plan" or "random"
  double seconds = 0;                ///< mean of its first samples; infinite when it failed
  std::optional<double> again = {};  ///< median of the last measurement; the fastest only
};

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

  /// Returns the best candidate's time over that of the best schedule known, - 1; nothing without
  /// them.
  std::optional<double> behind() const;
};

/// Returns, first of the list and then of the others, the `first` ones and the `fastest` of the
/// rest.
std::vector<std::string> promising_schedules(const std::vector<QualityRow>& rows,
                                             std::size_t fastest, std::size_t first);

/// Fills in what the rows tell: `looked_at`, `others` and the best ones.
ListQuality quality_of(const std::vector<QualityRow>& rows, ListQuality quality);

}  // namespace tileplan
