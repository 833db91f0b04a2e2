// SPDX-License-Identifier: Apache-2.0
// Statistics of rows, and their text and picture.
#include "ranking_summary.h"

#include <algorithm>
#include <cctype>
#include <iomanip>
#include <map>
#include <sstream>

#include "check.h"
#include "integers.h"
#include "rank_statistics.h"
#include "scatter.h"
#include "statistics.h"

namespace tileplan {

namespace {

constexpr double kMillisecond = 1e-3;
constexpr double kPercent = 100;

/// Predicted and measured seconds, fastest measured first.
struct Pairs {
  std::vector<double> predicted, measured;
};

Pairs pairs_of(std::vector<const RankingRow*> rows) {
  const auto seconds = [](const RankingRow* row) {
    return row->candidate.measurement->median_seconds;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const RankingRow* a, const RankingRow* b) {
    return seconds(a) < seconds(b);
  });
  Pairs pairs;
  for (const RankingRow* row : rows) {
    pairs.predicted.push_back(row->candidate.prediction.seconds);
    pairs.measured.push_back(seconds(row));
  }
  return pairs;
}

/// Of the first `count` pairs.
std::optional<double> agreement(const Pairs& pairs, std::size_t count) {
  return spearman_rho(std::span(pairs.predicted).first(count),
                      std::span(pairs.measured).first(count));
}

void add_regrets(LayerRanking& layer, const std::vector<const RankingRow*>& rows, double best) {
  for (const RankingRow* row : rows) {
    if (row->rank == 0) continue;
    const double regret = row->candidate.measurement->median_seconds / best - 1;
    if (row->rank == 1) layer.regret_first = regret;
    layer.regret_top = std::min(layer.regret_top.value_or(regret), regret);
  }
}

/// Of the model's schedules over all, both the fastest by the second measurement.
std::optional<double> second_regret(std::span<const RankingRow> rows) {
  std::optional<double> model, best;
  for (const RankingRow& row : rows) {
    if (!row.again || row.again->kept == 0) continue;
    const double seconds = row.again->median_seconds;
    best = std::min(best.value_or(seconds), seconds);
    if (row.rank > 0) model = std::min(model.value_or(seconds), seconds);
  }
  return model ? std::optional(*model / *best - 1) : std::nullopt;
}

/// A column of the table.
enum class Better { high, low };
struct Column {
  const char* head;
  std::optional<double> LayerRanking::*value;
  Better better;  ///< low ones are shares, shown in per cent
};
constexpr Column kColumns[] = {
    {"Spearman", &LayerRanking::spearman, Better::high},
    {"random only", &LayerRanking::spearman_random, Better::high},
    {"fastest third", &LayerRanking::spearman_fast, Better::high},
    {"Kendall tau", &LayerRanking::kendall, Better::high},
    {"regret of 1st", &LayerRanking::regret_first, Better::low},
    {"of best of top", &LayerRanking::regret_top, Better::low},
    {"measured again", &LayerRanking::regret_again, Better::low},
};

constexpr int kNameWidth = 18, kCountWidth = 9, kWidth = 15;

std::string cell(const Column& column, const std::optional<double>& value) {
  if (!value) return "-";
  std::ostringstream text;
  text << std::fixed;
  if (column.better == Better::high)
    text << std::setprecision(3) << *value;
  else
    text << std::setprecision(1) << kPercent * *value << " %";
  return text.str();
}

std::string line(const std::string& name, const std::string& counted, const std::string& left_out,
                 const std::vector<std::string>& cells) {
  std::ostringstream text;
  text << std::left << std::setw(kNameWidth) << name << std::right << std::setw(kCountWidth)
       << counted << std::setw(kCountWidth) << left_out;
  for (const std::string& one : cells) text << std::setw(kWidth) << one;
  text << '\n';
  return text.str();
}

std::string why_left_out(const RankingRow& row) {
  if (!row.note.empty()) return row.note;
  return row.candidate.measurement ? "never undisturbed" : "budget over before it was timed";
}

/// Reasons that differ in numbers alone are one reason.
std::string without_numbers(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return text;
}

/// `choose` of each column over the layers that have it.
template <class Choose>
std::vector<std::string> over_layers(const std::vector<LayerRanking>& layers, Choose choose) {
  std::vector<std::string> cells;
  for (const Column& column : kColumns) {
    std::vector<double> values;
    for (const LayerRanking& layer : layers)
      if (layer.*column.value) values.push_back(*(layer.*column.value));
    std::optional<double> chosen;
    if (!values.empty()) chosen = choose(column, std::move(values));
    cells.push_back(cell(column, chosen));
  }
  return cells;
}

}  // namespace

LayerRanking ranking_of(std::span<const RankingRow> rows) {
  TILEPLAN_CHECK(!rows.empty(), "a layer has at least the model's schedules");
  LayerRanking layer;
  layer.layer = rows.front().layer;
  std::vector<const RankingRow*> all, random;
  for (const RankingRow& row : rows) {
    if (!row.counts()) continue;
    all.push_back(&row);
    if (row.rank == 0) random.push_back(&row);
  }
  layer.counted = static_cast<int>(all.size());
  layer.left_out = static_cast<int>(rows.size() - all.size());
  const Pairs pairs = pairs_of(all), drawn = pairs_of(random);
  constexpr std::int64_t kThird = 3;
  const auto fast = static_cast<std::size_t>(ceil_div(layer.counted, kThird));
  layer.spearman = agreement(pairs, all.size());
  layer.spearman_random = agreement(drawn, random.size());
  layer.spearman_fast = agreement(pairs, fast);
  layer.kendall = kendall_tau(pairs.predicted, pairs.measured);
  if (!all.empty()) add_regrets(layer, all, pairs.measured.front());
  layer.regret_again = second_regret(rows);
  return layer;
}

std::string ranking_head() {
  std::vector<std::string> heads;
  for (const Column& column : kColumns) heads.emplace_back(column.head);
  return line("layer", "counted", "left out", heads);
}

std::string ranking_line(const LayerRanking& layer) {
  std::vector<std::string> cells;
  for (const Column& column : kColumns) cells.push_back(cell(column, layer.*column.value));
  return line(layer.layer, std::to_string(layer.counted), std::to_string(layer.left_out), cells);
}

std::string ranking_totals(const std::vector<LayerRanking>& layers) {
  const auto middle = [](const Column&, std::vector<double> values) {
    return median(std::move(values));
  };
  const auto worst = [](const Column& column, std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return column.better == Better::high ? values.front() : values.back();
  };
  return line("median", "", "", over_layers(layers, middle)) +
         line("worst", "", "", over_layers(layers, worst));
}

std::string left_out_lines(std::span<const RankingRow> rows) {
  struct Reason {
    int count = 0;
    std::string example = {};
    bool varies = false;
  };
  std::map<std::string, Reason> reasons;
  for (const RankingRow& row : rows) {
    if (row.counts()) continue;
    const std::string why = why_left_out(row);
    Reason& reason = reasons[without_numbers(why)];
    if (reason.count++ == 0) reason.example = why;
    reason.varies = reason.varies || why != reason.example;
  }
  std::string text;
  for (const auto& [kind, reason] : reasons)
    text += "  left out " + std::to_string(reason.count) + (reason.varies ? ", such as " : ": ") +
            reason.example + '\n';
  return text;
}

std::string ranking_svg(std::span<const RankingRow> rows, const std::string& subtitle) {
  ScatterSeries drawn{.name = "drawn at random", .marker = Marker::dot, .points = {}};
  ScatterSeries chosen{.name = "the model's best", .marker = Marker::diamond, .points = {}};
  for (const RankingRow& row : rows) {
    if (!row.counts()) continue;
    const std::string rank = row.rank > 0 ? std::to_string(row.rank) + ". " : "";
    (row.rank > 0 ? chosen : drawn)
        .points.push_back({.x = row.candidate.prediction.seconds / kMillisecond,
                           .y = row.candidate.measurement->median_seconds / kMillisecond,
                           .label = rank + to_string(row.candidate.schedule)});
  }
  return log_scatter_svg({.title = rows.front().layer + ", " + subtitle,
                          .x_title = "predicted time",
                          .y_title = "measured time",
                          .unit = "ms",
                          .series = {std::move(drawn), std::move(chosen)}});
}

}  // namespace tileplan
