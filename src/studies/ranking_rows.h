// SPDX-License-Identifier: Apache-2.0
// The table of the ranking study: schedules with what was predicted and measured, as CSV.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// One schedule of one layer.
struct RankingRow {
  std::string layer;
  int rank = 0;              ///< in the model's plan, from 1; 0: drawn at random
  Candidate candidate = {};  ///< schedule, prediction and, when it was timed, measurement
  std::string note = {};     ///< why it was not timed; empty when it was
  /// Of the fastest few of both origins, timed once more: a choice among many noisy times picks a
  /// lucky one, a second measurement does not know of that luck.
  std::optional<Measurement> again = {};

  /// It was timed, and undisturbed at least once: statistics count it.
  bool counts() const { return candidate.measurement && candidate.measurement->kept > 0; }
};

/// A results file.
struct RankingTable {
  /// "machine" -> "AMD EPYC", "regime" -> "hot" ...: comment lines at the top. Neither holds a line
  /// break, the first no colon.
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> levels;  ///< names of the caches, innermost first
  std::vector<RankingRow> rows;
};

/// One line per row; seconds and bytes in full precision; empty fields for what was not measured.
std::string to_csv(const RankingTable& table);

/// parse_ranking_csv(to_csv(t), "") has the facts, levels and rows of t, but of each prediction
/// only the times, bytes and bottleneck. Throws Error with `origin` and the line.
RankingTable parse_ranking_csv(const std::string& text, const std::string& origin);

}  // namespace tileplan
