// SPDX-License-Identifier: Apache-2.0
// The study `ranking`: its rows, how well the model orders them, and what its choice costs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csv.h"
#include "tileplan/plan.h"

namespace tileplan {

struct RankingRow {
  std::string layer;
  int rank = 0;              ///< in the model's plan, from 1; 0: drawn at random
  Candidate candidate = {};  ///< schedule, prediction and, when it was timed, measurement
  std::string note = {};     ///< why it was not timed; empty when it was
  /// The fastest few of both origins are timed once more, because the best of many noisy times is
  /// lucky.
  std::optional<Measurement> again = {};

  /// Returns whether statistics count it: it was timed, and undisturbed at least once.
  bool counts() const { return candidate.measurement && candidate.measurement->kept > 0; }
};

/// Returns the names of the columns for caches called `levels`, innermost first.
std::string ranking_columns(const std::vector<std::string>& levels);

/// Returns the fields of `row` in full precision, empty where nothing was measured.
CsvFields to_fields(const RankingRow& row, const std::vector<std::string>& levels);

/// Reads what to_fields wrote. Throws Error for what is no number or no schedule.
RankingRow read_ranking_row(const CsvFields& fields, const std::vector<std::string>& levels);

/// Holds the numbers of one layer; one is missing where too few rows are left, or all are equal.
struct LayerRanking {
  std::string layer;
  int counted = 0;                        ///< rows that the numbers are made of
  int left_out = 0;                       ///< rows that were not timed, or never undisturbed
  std::optional<double> spearman;         ///< predicted against measured, all rows
  std::optional<double> spearman_random;  ///< without the model's own schedules
  std::optional<double> spearman_fast;    ///< within the third with the shortest measured times
  std::optional<double> kendall;          ///< tau-b, all rows
  std::optional<double>
      regret_first;                  ///< time of the model's first choice over the best known, - 1
  std::optional<double> regret_top;  ///< the same of the fastest of the model's schedules
  std::optional<double> regret_again;  ///< the same in the second measurement of the fastest
};

/// Requires: at least one row, all of one layer.
LayerRanking ranking_of(std::span<const RankingRow> rows);

/// Each returns a part of the table: its head, the line of a layer, and the medians and the worst.
std::string ranking_head();
std::string ranking_line(const LayerRanking& layer);
std::string ranking_totals(const std::vector<LayerRanking>& layers);

/// Returns one line for each reason for which rows were left out, whatever its numbers.
std::string left_out_lines(std::span<const RankingRow> rows);

/// Plots predicted against measured time of the rows that count. `conditions` ends the title.
std::string ranking_svg(std::span<const RankingRow> rows, const std::string& conditions);

}  // namespace tileplan
