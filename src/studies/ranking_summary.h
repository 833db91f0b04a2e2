// SPDX-License-Identifier: Apache-2.0
// How well the model orders the schedules of the study `ranking`, and what its choice costs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ranking_rows.h"

namespace tileplan {

/// One layer in numbers, of its rows with an undisturbed sample. A number is missing where too few
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

/// Requires: at least one row, all of one layer.
LayerRanking ranking_of(std::span<const RankingRow> rows);

/// Each returns a part of the table: its head, the line of a layer, and the medians and the worst.
std::string ranking_head();
std::string ranking_line(const LayerRanking& layer);
std::string ranking_totals(const std::vector<LayerRanking>& layers);

/// Returns one line for each reason for which rows of one layer were left out, with their number;
/// reasons that differ in numbers alone are counted together.
std::string left_out_lines(std::span<const RankingRow> rows);

/// Returns a plot of predicted against measured time of the rows that count. `conditions` is the
/// end of its title.
std::string ranking_svg(std::span<const RankingRow> rows, const std::string& conditions);

}  // namespace tileplan
