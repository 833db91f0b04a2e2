// SPDX-License-Identifier: Apache-2.0
// The study `ranking` tests how well the model orders schedules, and how slow its choice is.
#pragma once

#include <span>

#include "csv.h"
#include "tileplan/plan.h"

namespace tileplan {

struct RankingRow {
  std::string layer;
  int rank = 0;              ///< The model's plan has ranks from 1; 0 is a random schedule.
  Candidate candidate = {};  ///< A timed candidate has a measurement.
  std::string note = {};     ///< This text tells why there is no measurement.
  /// The fastest few are timed again, because the minimum of many noisy times is biased.
  std::optional<Measurement> again = {};

  /// Returns true when there is a valid sample. Statistics leave out rows without valid samples.
  bool counts() const { return candidate.measurement && candidate.measurement->kept > 0; }
};

/// Returns the names of the columns for caches with the names `levels`, innermost first.
std::string ranking_columns(const std::vector<std::string>& levels);

/// Returns the fields of `row` in full precision. A missing measurement gives empty fields.
CsvFields to_fields(const RankingRow& row, const std::vector<std::string>& levels);

/// Reads fields that to_fields() wrote. Throws Error for a malformed number or schedule.
RankingRow read_ranking_row(const CsvFields& fields, const std::vector<std::string>& levels);

/// Holds the statistics of one layer. A value is missing when too few rows have values or all
/// values are equal. Correlations compare predicted with measured times. A regret is t / t_best -
/// 1.
struct LayerRanking {
  std::string layer;
  int counted = 0;   ///< The statistics use this many rows.
  int left_out = 0;  ///< This many rows have no valid sample.
  std::optional<double> spearman;
  std::optional<double> spearman_random;  ///< This correlation covers random schedules only.
  /// This correlation covers the fastest third of the schedules.
  std::optional<double> spearman_fast;
  std::optional<double> kendall;       ///< This is Kendall's tau-b.
  std::optional<double> regret_first;  ///< The model's first choice has this regret.
  std::optional<double> regret_top;    ///< The fastest of the model's schedules has this regret.
  /// The fastest schedule has this regret after measuring again.
  std::optional<double> regret_again;
};

/// Returns the statistics of one layer. Requires that `rows` is not empty and has rows of one
/// layer.
LayerRanking ranking_of(std::span<const RankingRow> rows);

/// These functions return parts of a table. Totals are medians and worst values of all layers.
std::string ranking_head();
std::string ranking_line(const LayerRanking& layer);
std::string ranking_totals(const std::vector<LayerRanking>& layers);

/// Returns one line per reason for which rows were left out, ignoring numbers in the reasons.
std::string left_out_lines(std::span<const RankingRow> rows);

/// Plots predicted against measured times of the rows with valid samples. `conditions` end the
/// title.
std::string ranking_svg(std::span<const RankingRow> rows, const std::string& conditions);

}  // namespace tileplan
