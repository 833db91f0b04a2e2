// SPDX-License-Identifier: Apache-2.0
// The study `ranking` tells how well the model orders schedules, and what its choice costs.
#pragma once

#include <span>

#include "csv.h"
#include "tileplan/plan.h"

namespace tileplan {

struct RankingRow {
  std::string layer;
  int rank = 0;              ///< It counts from 1 in the model's plan; 0 was drawn at random.
  Candidate candidate = {};  ///< It has a measurement when it was timed.
  std::string note = {};     ///< It says why there is none.
  /// The fastest few are timed once more, because the best of many noisy times is lucky.
  std::optional<Measurement> again = {};

  /// Returns whether it was undisturbed at least once, without which statistics leave it out.
  bool counts() const { return candidate.measurement && candidate.measurement->kept > 0; }
};

/// Returns the names of the columns for caches called `levels`, innermost first.
std::string ranking_columns(const std::vector<std::string>& levels);

/// Returns the fields of `row` in full precision, empty where nothing was measured.
CsvFields to_fields(const RankingRow& row, const std::vector<std::string>& levels);

/// Reads what to_fields wrote. Throws Error for what is no number or no schedule.
RankingRow read_ranking_row(const CsvFields& fields, const std::vector<std::string>& levels);

/// Holds the numbers of one layer; one is missing where too few rows are left, or all are equal.
/// The correlations compare predicted with measured times. A regret is t / t_best - 1.
struct LayerRanking {
  std::string layer;
  int counted = 0;   ///< The numbers are made of so many rows.
  int left_out = 0;  ///< So many rows were not timed, or never undisturbed.
  std::optional<double> spearman;
  std::optional<double> spearman_random;  ///< It leaves the model's own schedules out.
  std::optional<double> spearman_fast;    ///< It takes the third with the shortest measured times.
  std::optional<double> kendall;          ///< It is tau-b.
  std::optional<double> regret_first;     ///< The model's first choice has it.
  std::optional<double> regret_top;       ///< The fastest of the model's schedules has it.
  std::optional<double> regret_again;     ///< The fastest has it when it is measured again.
};

/// Requires: at least one row, all of one layer.
LayerRanking ranking_of(std::span<const RankingRow> rows);

/// Each returns a part of the table. The totals are the medians and the worst of the layers.
std::string ranking_head();
std::string ranking_line(const LayerRanking& layer);
std::string ranking_totals(const std::vector<LayerRanking>& layers);

/// Returns one line for each reason for which rows were left out, whatever its numbers.
std::string left_out_lines(std::span<const RankingRow> rows);

/// Plots predicted against measured time of the rows that count. `conditions` ends the title.
std::string ranking_svg(std::span<const RankingRow> rows, const std::string& conditions);

}  // namespace tileplan
