// SPDX-License-Identifier: Apache-2.0
// The rows of the study `ranking`: schedules with what was predicted and measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "csv.h"
#include "tileplan/plan.h"

namespace tileplan {

/// One schedule of one layer.
struct RankingRow {
  std::string layer;
  int rank = 0;              ///< in the model's plan, from 1; 0: drawn at random
  Candidate candidate = {};  ///< schedule, prediction and, when it was timed, measurement
  std::string note = {};     ///< why it was not timed; empty when it was
  /// The fastest few of both origins are timed once more: a choice among many noisy times picks a
  /// lucky one, and a second measurement does not know of that luck.
  std::optional<Measurement> again = {};

  /// Returns whether statistics count it: it was timed, and undisturbed at least once.
  bool counts() const { return candidate.measurement && candidate.measurement->kept > 0; }
};

/// Returns the names of the columns for caches called `levels`, innermost first.
std::string ranking_columns(const std::vector<std::string>& levels);

/// Returns the fields of `row`: seconds and bytes in full precision, nothing for what was not
/// measured.
CsvFields to_fields(const RankingRow& row, const std::vector<std::string>& levels);

/// Reads what to_fields wrote; a prediction has only its times, bytes and bottleneck. Throws Error
/// for what is no number or no schedule. Requires: as many fields as there are columns.
RankingRow read_ranking_row(const CsvFields& fields, const std::vector<std::string>& levels);

}  // namespace tileplan
