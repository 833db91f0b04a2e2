// SPDX-License-Identifier: Apache-2.0
// This file converts rows to fields and back, and computes statistics, text and a plot of them.
#include "ranking_table.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "check.h"
#include "integers.h"
#include "mapped.h"
#include "plot.h"
#include "rank_statistics.h"
#include "statistics.h"
#include "text_table.h"

namespace tileplan {

namespace {

LevelPrediction level_named(const Prediction& prediction, const std::string& name) {
  const auto found = std::ranges::find(prediction.levels, name, &LevelPrediction::name);
  return found == prediction.levels.end() ? LevelPrediction{.name = name} : *found;
}

void append_times(const std::optional<Measurement>& measured, CsvFields& fields) {
  std::ranges::copy(measured ? fields_of(measured->median_seconds, measured->low_seconds,
                                         measured->high_seconds, measured->kept, measured->samples)
                             : CsvFields{"", "", "", "0", "0"},
                    std::back_inserter(fields));
}

std::optional<Measurement> read_times(CsvRow& reader) {
  const Measurement measured{.median_seconds = reader.number(),
                             .low_seconds = reader.number(),
                             .high_seconds = reader.number(),
                             .kept = static_cast<int>(reader.whole()),
                             .samples = static_cast<int>(reader.whole())};
  return measured.samples > 0 ? std::optional(measured) : std::nullopt;
}

constexpr double kMillisecond = 1e-3;

double measured_seconds(const RankingRow* row) {
  return row->candidate.measurement->median_seconds;
}

/// Holds the predicted and the measured times of all rows in the same order, the fastest measured
/// row first.
struct Pairs {
  std::vector<double> predicted, measured;
};

Pairs pairs_of(std::vector<const RankingRow*> rows) {
  std::ranges::stable_sort(rows, {}, measured_seconds);
  const auto predicted = [](const RankingRow* row) { return row->candidate.prediction.seconds; };
  return {.predicted = mapped(rows, predicted), .measured = mapped(rows, measured_seconds)};
}

std::optional<double> agreement(const Pairs& pairs, std::size_t count) {
  return spearman_rho(std::span(pairs.predicted).first(count),
                      std::span(pairs.measured).first(count));
}

void add_regrets(LayerRanking& layer, const std::vector<const RankingRow*>& rows, double best) {
  for (const RankingRow* row : rows) {
    if (row->rank == 0) continue;
    const double regret = measured_seconds(row) / best - 1;
    if (row->rank == 1) layer.regret_first = regret;
    layer.regret_top = std::min(layer.regret_top.value_or(regret), regret);
  }
}

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

enum class Better { high, low };
struct Column {
  const char* head;
  std::optional<double> LayerRanking::*value;
  /// Tells whether high or low values are better. Columns where low values are better are in per
  /// cent.
  Better better;
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

std::string cell(const Column& column, const std::optional<double>& value) {
  return column.better == Better::high ? decimals(value, 3) : decimals(value, 1, kPercent, " %");
}

std::string line(const std::string& name, const std::string& counted, const std::string& left_out,
                 const std::vector<std::string>& cells) {
  constexpr TextColumns kCounts{.name = 18, .cell = 9}, kNumbers{.cell = 15};
  std::string counts = text_row(kCounts, name, {counted, left_out});
  counts.pop_back();  // This removes the newline.
  return counts + text_row(kNumbers, "", cells);
}

std::string why_left_out(const RankingRow& row) {
  if (!row.note.empty()) return row.note;
  return row.candidate.measurement ? "never undisturbed" : "budget over before it was timed";
}

/// Removes digits, so that reasons that differ only in digits become equal.
std::string without_numbers(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return std::isdigit(letter) != 0; });
  return text;
}

/// Returns one cell per column: the result of `choose` for the values of all layers that have a
/// value.
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

std::string ranking_columns(const std::vector<std::string>& levels) {
  std::string names = "layer,origin,rank,predicted_s,compute_s,bottleneck";
  for (const std::string& level : levels)
    names.append(",").append(level).append("_s,").append(level).append("_bytes");
  return names +
         ",median_s,low_s,high_s,kept,samples,again_s,again_low_s,again_high_s,again_kept,"
         "again_samples,note,schedule";
}

CsvFields to_fields(const RankingRow& row, const std::vector<std::string>& levels) {
  const Prediction& predicted = row.candidate.prediction;
  CsvFields fields = fields_of(row.layer, row.rank > 0 ? "model" : "random",
                               row.rank > 0 ? std::to_string(row.rank) : "", predicted.seconds,
                               predicted.compute_seconds, predicted.bottleneck);
  for (const std::string& name : levels) {
    const LevelPrediction level = level_named(predicted, name);
    fields.insert(fields.end(), {csv_number(level.seconds), csv_number(level.bytes)});
  }
  append_times(row.candidate.measurement, fields);
  append_times(row.again, fields);
  fields.insert(fields.end(), {row.note, to_string(row.candidate.schedule)});
  return fields;
}

RankingRow read_ranking_row(const CsvFields& fields, const std::vector<std::string>& levels) {
  CsvRow reader(fields);
  RankingRow row;
  row.layer = reader.text();
  reader.text();  // The column of the origin is skipped, because the rank determines it.
  row.rank = static_cast<int>(reader.whole());
  Prediction& predicted = row.candidate.prediction;
  predicted.seconds = reader.number();
  predicted.compute_seconds = reader.number();
  predicted.bottleneck = reader.text();
  for (const std::string& name : levels) {
    const double seconds = reader.number();
    predicted.levels.push_back({.name = name, .bytes = reader.number(), .seconds = seconds});
  }
  row.candidate.measurement = read_times(reader);
  row.again = read_times(reader);
  row.note = reader.text();
  row.candidate.schedule = parse_schedule(reader.text());
  return row;
}

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
  return line("layer", "counted", "left out",
              mapped(kColumns, [](const Column& one) { return std::string(one.head); }));
}

std::string ranking_line(const LayerRanking& layer) {
  return line(layer.layer, std::to_string(layer.counted), std::to_string(layer.left_out),
              mapped(kColumns, [&](const Column& one) { return cell(one, layer.*one.value); }));
}

std::string ranking_totals(const std::vector<LayerRanking>& layers) {
  const auto middle = [](const Column&, std::vector<double> values) {
    return median(std::move(values));
  };
  const auto worst = [](const Column& column, const std::vector<double>& values) {
    const auto [low, high] = std::ranges::minmax(values);
    return column.better == Better::high ? low : high;
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
    text += joined("  left out ", reason.count, reason.varies ? ", such as " : ": ", reason.example,
                   '\n');
  return text;
}

std::string ranking_svg(std::span<const RankingRow> rows, const std::string& conditions) {
  PlotSeries drawn{.name = "drawn at random", .mark = PlotMark::dot};
  PlotSeries chosen{.name = "the model's best", .mark = PlotMark::diamond};
  for (const RankingRow& row : rows) {
    if (!row.counts()) continue;
    const std::string rank = row.rank > 0 ? std::to_string(row.rank) + ". " : "";
    (row.rank > 0 ? chosen : drawn)
        .points.push_back({.x = row.candidate.prediction.seconds / kMillisecond,
                           .y = row.candidate.measurement->median_seconds / kMillisecond,
                           .label = rank + to_string(row.candidate.schedule)});
  }
  return plot_svg({.titles = {.title = rows.front().layer + conditions,
                              .x = "predicted time [ms]",
                              .y = "measured time [ms]"},
                   .log_square = true,
                   .series = {std::move(drawn), std::move(chosen)}});
}

}  // namespace tileplan
