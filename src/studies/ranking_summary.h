// SPDX-License-Identifier: Apache-2.0
// What the rows of the ranking study say about the model: agreement in order, and what its choice
// costs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ranking_rows.h"

namespace tileplan {

/// One layer in numbers. Rows without an undisturbed sample are left out. Nothing where too few
/// rows are left, or all are equal.
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

/// Requires: the rows are of one layer, at least one.
LayerRanking ranking_of(std::span<const RankingRow> rows);

/// The head of the table, one line per layer, and at the end the medians and the worst.
std::string ranking_head();
std::string ranking_line(const LayerRanking& layer);
std::string ranking_totals(const std::vector<LayerRanking>& layers);

/// One line for each reason for which rows of one layer were left out, with their number; reasons
/// that differ in numbers alone are counted together.
std::string left_out_lines(std::span<const RankingRow> rows);

/// Predicted against measured time of the rows that count, as SVG. `subtitle` says where it was
/// measured.
std::string ranking_svg(std::span<const RankingRow> rows, const std::string& subtitle);

}  // namespace tileplan
