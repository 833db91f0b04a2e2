// SPDX-License-Identifier: Apache-2.0
// This file measures the schedules of the list and those of other origins, then the most promising
// of both in turns, and writes tables and plots.
#include "candidate_quality.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "list_variety.h"
#include "mapped.h"
#include "merge_dims.h"
#include "plot.h"
#include "recall.h"
#include "remeasure_finalists.h"
#include "statistics.h"
#include "studies.h"
#include "text_table.h"

namespace tileplan {

namespace {

constexpr const char* kStudy = "candidates";
constexpr int kListed = 200;
constexpr int kPlanTop = 10;
constexpr std::size_t kRemembered = 5;
/// This many of the fastest schedules of the list, and as many others, are measured again, because
/// the times of the first samples drift by several percent.
constexpr std::size_t kFastest = 12;
/// This many schedules with the best ranks in the list are also measured again, and as many from
/// outside the list: the earliest measured, which are the fastest on record if there are any.
constexpr std::size_t kPromising = 4;
/// This many of the fastest schedules of the list, and as many others, are measured a third time.
constexpr std::size_t kFinalists = 4;
/// Schedules that are not from the list take this share of a layer's budget.
constexpr double kOthersShare = 0.25;

struct Round {
  const char* name;
  int samples = 0;
  double share = 0;  ///< The round takes this share of a layer's budget.
};
constexpr Round kScreening{"screening", 5, 0.15}, kFinal{"second look", 41, 0.15};

/// Schedules are measured in this order of their origins.
constexpr const char* kOrigins[] = {"records", "plan", "random", "list"};

/// Returns at most kRemembered recorded schedules of `problem`, which have the shortest medians on
/// this type of machine with hot caches, fastest first.
std::vector<std::string> fastest_recorded(const Problem& problem, const Machine& machine,
                                          const std::string& path) {
  std::map<std::string, double> fastest;
  for (const Record& record : Records(path).find({.problem = to_string(problem),
                              .machine = machine_type(machine),
                              .regime = to_string(Regime::hot)})) {
    if (record.samples.empty()) continue;
    const double seconds = median(record.samples);
    double& least = fastest.try_emplace(record.schedule, seconds).first->second;
    least = std::min(least, seconds);
  }
  std::set<std::pair<double, std::string>> order;
  for (const auto& [schedule, seconds] : fastest) order.emplace(seconds, schedule);
  std::vector<std::string> schedules;
  for (const auto& [seconds, schedule] : order)
    if (schedules.size() < kRemembered) schedules.push_back(schedule);
  return schedules;
}

std::vector<std::string> schedules_of(const CandidateList& list) {
  return mapped(list.candidates,
                [](const ListedCandidate& each) { return to_string(each.candidate.schedule); });
}

std::vector<SearchTask> tasks_of(const Problem& problem, const Machine& machine,
                                 const CandidateList& list, const StudyOptions& options) {
  const double others = kOthersShare * options.budget_seconds / 3;
  const double rest = (1 - kOthersShare - kScreening.share - kFinal.share) * options.budget_seconds;
  std::vector<std::string> known = fastest_recorded(problem, machine, options.records);
  const auto count = static_cast<int>(known.size());
  return {{.strategy = kFixed,
           .budget = {.measurements = count, .seconds = others},
           .schedules = std::move(known)},
          {.strategy = "model", .budget = {.measurements = kPlanTop, .seconds = others}},
          {.strategy = "random",
           .seed = options.seed,
           .budget = {.measurements = options.schedules, .seconds = others}},
          {.strategy = kFixed,
           .budget = {.measurements = kListed, .seconds = rest},
           .schedules = schedules_of(list)}};
}

/// Returns each schedule once. A schedule of the list has its rank there, even if another origin
/// measured it.
std::vector<QualityRow> rows_of(const LayerSearch& search, const CandidateList& list) {
  std::map<std::string, int> ranks;
  for (const std::string& schedule : schedules_of(list))
    ranks.try_emplace(schedule, static_cast<int>(ranks.size()) + 1);
  std::vector<QualityRow> rows;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < search.courses.size(); ++i)
    for (const SearchStep& step : search.courses[i].steps) {
      if (!seen.insert(step.schedule).second) continue;
      const auto rank = ranks.find(step.schedule);
      const bool is_listed = rank != ranks.end();
      rows.push_back({.schedule = step.schedule,
                      .rank = is_listed ? rank->second : 0,
                      .origin = is_listed ? "list" : kOrigins[i],
                      .seconds = step.seconds});
    }
  return rows;
}

std::map<std::string, double> remeasure(const Problem& problem, const Machine& machine,
                                        const StudyOptions& options,
                                        const std::vector<std::string>& schedules,
                                        const Round& round) {
  LayerSearchOptions own = remeasure_options(options, joined(kStudy, ", ", round.name),
                                             round.share * options.budget_seconds);
  own.samples = round.samples;
  return remeasure_finalists(problem, machine, schedules, own);
}

void remeasure_fastest(const Problem& problem, const Machine& machine, const StudyOptions& options,
                       std::vector<QualityRow>& rows) {
  const std::map<std::string, double> screened = remeasure(
      problem, machine, options, promising_schedules(rows, kFastest, kPromising), kScreening);
  std::vector<QualityRow> left;
  for (const QualityRow& row : rows)
    if (const auto found = screened.find(row.schedule); found != screened.end()) {
      left.push_back(row);
      left.back().seconds = found->second;
    }
  const std::map<std::string, double> times =
      remeasure(problem, machine, options, promising_schedules(left, kFinalists, 0), kFinal);
  for (QualityRow& row : rows)
    if (const auto found = times.find(row.schedule); found != times.end())
      row.again = found->second;
}

const ListedCandidate& candidate_of(const QualityRow& row, const CandidateList& list) {
  return list.candidates[static_cast<std::size_t>(row.rank) - 1];
}

std::string lines_of(const std::string& layer, const std::vector<QualityRow>& rows,
                     const CandidateList& list) {
  std::string lines;
  for (const QualityRow& row : rows) {
    CsvFields fields{layer, row.origin, "", "", "", ""};
    if (row.rank > 0) {
      const ListedCandidate& own = candidate_of(row, list);
      fields = fields_of(layer, row.origin, row.rank, own.candidate.prediction.seconds,
                         own.microkernel, own.order_class);
    }
    fields.insert(fields.end(), {csv_number(row.seconds), csv_number(row.again), row.schedule});
    lines += csv_line(fields);
  }
  return lines;
}

std::string plot_of(const std::string& title, const std::vector<QualityRow>& rows,
                    const CandidateList& list) {
  PlotSeries first{.name = "measured", .mark = PlotMark::dot};
  PlotSeries again{.name = "measured again", .mark = PlotMark::diamond};
  for (const QualityRow& row : rows) {
    if (row.rank == 0 || !std::isfinite(row.seconds)) continue;
    PlotPoint point{.x = kMicroseconds * candidate_of(row, list).candidate.prediction.seconds,
                    .y = kMicroseconds * row.seconds,
                    .label = std::to_string(row.rank) + ". " + row.schedule};
    first.points.push_back(point);
    if (!row.again) continue;
    point.y = kMicroseconds * *row.again;
    again.points.push_back(point);
  }
  return plot_svg(
      {.titles = {.title = title, .x = "predicted time [us]", .y = "measured time [us]"},
       .log_square = true,
       .series = {std::move(first), std::move(again)}});
}

constexpr TextColumns kColumns{.name = 20, .cell = 13};

std::string table_head() {
  return text_row(kColumns, "layer",
                  {"candidates", "looked at", "others", "pairs", "same bytes", "best [us]", "rank",
                   "other [us]", "from", "behind"});
}

std::string table_line(const ListQuality& quality) {
  return text_row(kColumns, quality.layer,
                  fields_of(quality.listed, quality.looked_at, quality.others, quality.pairs,
                            quality.same_volumes, decimals(quality.best_listed, 1, kMicroseconds),
                            quality.best_rank > 0 ? std::to_string(quality.best_rank) : "-",
                            decimals(quality.best_other, 1, kMicroseconds),
                            quality.best_origin.empty() ? "-" : quality.best_origin,
                            decimals(quality.behind(), 1, kPercent, " %")));
}

std::string worst_line(const std::vector<ListQuality>& layers) {
  constexpr double kGoal = 0.02;
  std::vector<double> behind;
  for (const ListQuality& each : layers)
    if (const std::optional<double> own = each.behind()) behind.push_back(*own);
  if (behind.empty()) return "no layer with undisturbed samples\n";
  const auto within = std::ranges::count_if(behind, [](double one) { return one <= kGoal; });
  return joined("within 2 % of the best known: ", within, " of ", behind.size(),
                " layers; at worst ", decimals(std::ranges::max(behind), 1, kPercent),
                " % behind\n");
}

}  // namespace

std::vector<std::string> promising_schedules(const std::vector<QualityRow>& rows,
                                             std::size_t fastest, std::size_t first) {
  std::vector<std::string> schedules;
  for (const bool listed : {true, false}) {
    std::vector<const QualityRow*> side;
    for (const QualityRow& row : rows)
      if ((row.rank > 0) == listed && std::isfinite(row.seconds)) side.push_back(&row);
    const std::size_t kept = std::min(first, side.size());
    if (listed) std::ranges::stable_sort(side, {}, &QualityRow::rank);
    std::ranges::stable_sort(side.begin() + static_cast<std::ptrdiff_t>(kept), side.end(), {},
                             &QualityRow::seconds);
    for (std::size_t i = 0; i < std::min(kept + fastest, side.size()); ++i)
      schedules.push_back(side[i]->schedule);
  }
  return schedules;
}

std::optional<double> ListQuality::behind() const {
  if (!best_listed || !best_other) return std::nullopt;
  return *best_listed / std::min(*best_listed, *best_other) - 1;
}

ListQuality quality_of(const std::vector<QualityRow>& rows, ListQuality quality) {
  for (const QualityRow& row : rows) {
    const bool is_listed = row.rank > 0;
    ++(is_listed ? quality.looked_at : quality.others);
    std::optional<double>& best = is_listed ? quality.best_listed : quality.best_other;
    if (!row.again || (best && *best <= *row.again)) continue;
    best = row.again;
    if (is_listed)
      quality.best_rank = row.rank;
    else
      quality.best_origin = row.origin;
  }
  return quality;
}

void study_candidates(const Machine& machine, const StudyOptions& options, const Print& print) {
  std::vector<ListQuality> layers;
  const auto measure = [&](const Problem& problem) -> std::optional<LayerResults> {
    const std::string layer = name_of(problem);
    const CandidateList list = candidates(problem, machine, {.top = kListed});
    const LayerSearch search =
        search_layer(problem, machine, tasks_of(problem, machine, list, options),
                     layer_options(options, kStudy));
    std::vector<QualityRow> rows = rows_of(search, list);
    remeasure_fastest(problem, machine, options, rows);
    const ListVariety variety = variety_of(list);
    const std::string head = layers.empty() ? table_head() : "";
    layers.push_back(quality_of(rows, {.layer = layer,
                                       .listed = static_cast<int>(list.candidates.size()),
                                       .pairs = variety.pairs,
                                       .same_volumes = variety.same_volumes}));
    return LayerResults{.rows = lines_of(layer, rows, list),
                        .svg = plot_of(layer + conditions_title(machine), rows, list),
                        .text = head + table_line(layers.back())};
  };
  const SearchStudy study{
      .name = kStudy,
      .conditions = "# per layer at most " + decimals(options.budget_seconds, 0) + " s and " +
                    std::to_string(options.schedules) +
                    " random schedules; the most promising of the list and of the others measured "
                    "twice more, side by side\n# behind: the best of the list over the best known, "
                    "- 1\n",
      .columns = "layer,origin,rank,predicted_s,microkernel,order_class,seconds,again_s,schedule"};
  study_layers(study, machine, options, print, measure).say(worst_line(layers));
}

}  // namespace tileplan
