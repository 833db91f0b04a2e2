// SPDX-License-Identifier: Apache-2.0
// The study `ranking` tests how well the model orders schedules, and how slow its choice is.
#pragma once

#include <span>

#include "csv.h"
#include "tileplan/plan.h"

namespace tileplan {

struct RankingRow {
  std::string layer;
  int rank = 0;  ///< This is the rank in the model's plan, from 1 on, or 0 for a random schedule.
  /// Holds the schedule, its prediction and, if it was timed, its measurement.
  Candidate candidate = {};
  std::string note = {};  ///< If the schedule failed before it could be timed, this tells why.
  /// The few fastest schedules are timed again, because the minimum of many noisy times is biased.
  std::optional<Measurement> again = {};

  /// Returns true when there is a valid sample. Statistics leave out rows without valid samples.
  bool counts() const { return candidate.measurement && candidate.measurement->kept > 0; }
};

/// Returns the names of the columns for caches with the names `levels`, innermost first.
std::string ranking_columns(const std::vector<std::string>& levels);

/// Returns the fields of `row` in full precision. A missing measurement gives empty times and
/// counts of 0.
CsvFields to_fields(const RankingRow& row, const std::vector<std::string>& levels);

/// Reads fields that to_fields() wrote. Throws Error for a malformed number or schedule.
RankingRow read_ranking_row(const CsvFields& fields, const std::vector<std::string>& levels);

/// Holds the statistics of one layer. Correlations compare predicted with measured times. They are
/// missing when there are no times, or when all predicted or all measured times are equal. A regret
/// is the time of a schedule divided by the shortest time, minus 1. It is missing when no schedule
/// that it describes has a valid sample.
struct LayerRanking {
  std::string layer;
  int counted = 0;   ///< The statistics use this many rows.
  int left_out = 0;  ///< This many rows have no valid sample.
  std::optional<double> spearman;
  /// This is Spearman's correlation over random schedules only.
  std::optional<double> spearman_random;
  /// This is Spearman's correlation over the fastest third of the schedules.
  std::optional<double> spearman_fast;
  std::optional<double> kendall;       ///< This is Kendall's tau-b.
  std::optional<double> regret_first;  ///< This is the regret of the model's first choice.
  /// This is the regret of the fastest among the model's schedules.
  std::optional<double> regret_top;
  /// This is the regret of the model's fastest schedule in the second measurement.
  std::optional<double> regret_again;
};

/// Returns the statistics of one layer. Requires that `rows` is not empty and has rows of one
/// layer.
LayerRanking ranking_of(std::span<const RankingRow> rows);

/// These functions return parts of a table. The totals are medians and worst values over all
/// layers.
std::string ranking_head();
std::string ranking_line(const LayerRanking& layer);
std::string ranking_totals(const std::vector<LayerRanking>& layers);

/// Returns one line for each reason for which rows were left out, with the number of these rows.
/// Reasons that differ only in digits share a line, which shows the first of them.
std::string left_out_lines(std::span<const RankingRow> rows);

/// Plots measured against predicted times of the rows with valid samples. `conditions` end the
/// title.
std::string ranking_svg(std::span<const RankingRow> rows, const std::string& conditions);

}  // namespace tileplan
