// SPDX-License-Identifier: Apache-2.0
// Layer by layer: a first look at all in a child process, a second one at the fastest, side by
// side.
#include "candidate_quality.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <set>
#include <sstream>

#include "candidate_list.h"
#include "merge_dims.h"
#include "recall.h"
#include "records.h"
#include "remeasure_finalists.h"
#include "scatter.h"
#include "statistics.h"
#include "stop.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr const char* kStudy = "candidates";
constexpr const char* kTable = "candidates.csv";
constexpr int kListed = 200;
/// Schedules that are looked at beside the list: of the plan, and of the records.
constexpr int kPlanTop = 10;
constexpr std::size_t kRemembered = 5;
/// Of the list and of the others, those that are screened: the fastest of the first look, which
/// drifts by several percent from its begin to its end, and the most promising by their origin.
constexpr std::size_t kFastest = 12;
constexpr std::size_t kPromising = 4;
constexpr int kScreeningSamples = 5;
/// Of these, the fastest that are looked at again, with more samples.
constexpr std::size_t kFinalists = 4;
constexpr int kFinalSamples = 41;
/// Of a layer's budget, for the others together, for the screening and for the second look.
constexpr double kOthersShare = 0.25;
constexpr double kScreeningShare = 0.15;
constexpr double kFinalShare = 0.15;
constexpr double kMicroseconds = 1e6;

/// A measurement side by side.
struct Look {
  std::string name;
  int samples = 0;
  double share = 0;  ///< of a layer's budget
};

/// Where schedules come from, in the order in which they are looked at.
constexpr const char* kOrigins[] = {"records", "plan", "random", "list"};

/// The schedules with the shortest medians that any program measured of `problem` on this machine.
std::vector<std::string> remembered(const Problem& problem, const Machine& machine,
                                    const std::string& path) {
  std::map<std::string, double> fastest;
  for (const Record& record : Records(path).find({.problem = to_string(problem),
                              .machine = record_machine(machine),
                              .regime = to_string(Regime::hot)})) {
    if (record.samples.empty()) continue;
    const double seconds = median(record.samples);
    const auto [place, is_new] = fastest.try_emplace(record.schedule, seconds);
    if (!is_new) place->second = std::min(place->second, seconds);
  }
  std::vector<std::pair<double, std::string>> order;
  order.reserve(fastest.size());
  for (const auto& [schedule, seconds] : fastest) order.emplace_back(seconds, schedule);
  std::sort(order.begin(), order.end());
  std::vector<std::string> schedules;
  for (const auto& [seconds, schedule] : order)
    if (schedules.size() < kRemembered) schedules.push_back(schedule);
  return schedules;
}

std::vector<std::string> schedules_of(const CandidateList& list) {
  std::vector<std::string> schedules;
  schedules.reserve(list.candidates.size());
  for (const ListedCandidate& each : list.candidates)
    schedules.push_back(to_string(each.candidate.schedule));
  return schedules;
}

/// One task per origin, in their order.
std::vector<SearchTask> tasks_of(const Problem& problem, const Machine& machine,
                                 const CandidateList& list, const SearchStudyOptions& options) {
  const double others = kOthersShare * options.budget_seconds / 3;
  const double rest = (1 - kOthersShare - kScreeningShare - kFinalShare) * options.budget_seconds;
  std::vector<std::string> known = remembered(problem, machine, options.records);
  const auto count = static_cast<int>(known.size());
  return {{.strategy = kFixed,
           .budget = {.measurements = count, .seconds = others},
           .schedules = std::move(known)},
          {.strategy = "model", .budget = {.measurements = kPlanTop, .seconds = others}},
          {.strategy = "random",
           .seed = options.seed,
           .budget = {.measurements = options.measurements, .seconds = others}},
          {.strategy = kFixed,
           .budget = {.measurements = kListed, .seconds = rest},
           .schedules = schedules_of(list)}};
}

/// All schedules that were looked at, each once, those of the list as such.
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

/// Medians of `schedules`, taken in turns.
std::map<std::string, double> looked_at_again(const Problem& problem, const Machine& machine,
                                              const SearchStudyOptions& options,
                                              const std::vector<std::string>& schedules,
                                              const Look& look) {
  return second_look(problem, machine, schedules,
                     {.records = options.records,
                      .version = layer_options(options, kStudy).version + ", " + look.name,
                      .samples = look.samples,
                      .budget_seconds = look.share * options.budget_seconds,
                      .seed = options.seed});
}

/// Fills in `again` of the finalists.
void look_again(const Problem& problem, const Machine& machine, const SearchStudyOptions& options,
                std::vector<QualityRow>& rows) {
  const std::map<std::string, double> screened =
      looked_at_again(problem, machine, options, promising(rows, kFastest, kPromising),
                      {"screening", kScreeningSamples, kScreeningShare});
  std::vector<QualityRow> left;
  for (const QualityRow& row : rows)
    if (const auto found = screened.find(row.schedule); found != screened.end()) {
      left.push_back(row);
      left.back().seconds = found->second;
    }
  const std::map<std::string, double> times =
      looked_at_again(problem, machine, options, promising(left, kFinalists, 0),
                      {"second look", kFinalSamples, kFinalShare});
  for (QualityRow& row : rows)
    if (const auto found = times.find(row.schedule); found != times.end())
      row.again = found->second;
}

std::string number(double seconds) {
  std::ostringstream text;
  text.precision(9);
  if (std::isfinite(seconds)) text << seconds;
  return text.str();
}

std::string lines_of(const std::string& layer, const std::vector<QualityRow>& rows,
                     const CandidateList& list) {
  std::ostringstream lines;
  for (const QualityRow& row : rows) {
    lines << layer << ',' << row.origin << ',';
    if (row.rank == 0) {
      lines << ",,,";
    } else {
      const ListedCandidate& own = list.candidates[static_cast<std::size_t>(row.rank) - 1];
      lines << row.rank << ',' << number(own.candidate.prediction.seconds) << ",\""
            << own.microkernel << "\"," << own.order_class;
    }
    lines << ',' << number(row.seconds) << ',' << (row.again ? number(*row.again) : "") << ",\""
          << row.schedule << "\"\n";
  }
  return lines.str();
}

/// Predicted against measured time of the list.
std::string plot_of(const std::string& layer, const std::vector<QualityRow>& rows,
                    const CandidateList& list, const std::string& machine) {
  ScatterSeries first{.name = "measured", .marker = Marker::dot, .points = {}};
  ScatterSeries again{.name = "measured again", .marker = Marker::diamond, .points = {}};
  for (const QualityRow& row : rows) {
    if (row.rank == 0 || !std::isfinite(row.seconds)) continue;
    const Prediction& predicted =
        list.candidates[static_cast<std::size_t>(row.rank) - 1].candidate.prediction;
    ScatterPoint point{.x = kMicroseconds * predicted.seconds,
                       .y = kMicroseconds * row.seconds,
                       .label = std::to_string(row.rank) + ". " + row.schedule};
    first.points.push_back(point);
    if (!row.again) continue;
    point.y = kMicroseconds * *row.again;
    again.points.push_back(point);
  }
  return log_scatter_svg({.title = layer + ", " + machine + ", hot caches, 1 thread",
                          .x_title = "predicted time",
                          .y_title = "measured time",
                          .unit = "us",
                          .series = {std::move(first), std::move(again)}});
}

constexpr int kNameWidth = 20, kWidth = 13;

std::string table_line(const std::string& name, const std::vector<std::string>& cells) {
  std::ostringstream line;
  line << std::left << std::setw(kNameWidth) << name << std::right;
  for (const std::string& cell : cells) line << std::setw(kWidth) << cell;
  line << '\n';
  return line.str();
}

std::string table_head() {
  return table_line("layer", {"candidates", "looked at", "others", "pairs", "same bytes",
                              "best [us]", "rank", "other [us]", "from", "behind"});
}

std::string shown(std::optional<double> value, int digits, const std::string& unit) {
  if (!value) return "-";
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << *value << unit;
  return text.str();
}

std::string table_line(const ListQuality& quality) {
  const auto microseconds = [](std::optional<double> seconds) {
    return shown(seconds ? std::optional(kMicroseconds * *seconds) : std::nullopt, 1, "");
  };
  const std::optional<double> behind = quality.behind();
  return table_line(
      quality.layer,
      {std::to_string(quality.listed), std::to_string(quality.looked_at),
       std::to_string(quality.others), std::to_string(quality.pairs),
       std::to_string(quality.same_volumes), microseconds(quality.best_listed),
       quality.best_rank > 0 ? std::to_string(quality.best_rank) : "-",
       microseconds(quality.best_other), quality.best_origin.empty() ? "-" : quality.best_origin,
       shown(behind ? std::optional(100 * *behind) : std::nullopt, 1, " %")});
}

std::string worst_line(const std::vector<ListQuality>& layers) {
  constexpr double kGoal = 0.02;
  std::vector<double> behind;
  for (const ListQuality& each : layers)
    if (const std::optional<double> own = each.behind()) behind.push_back(*own);
  if (behind.empty()) return "no layer with undisturbed samples\n";
  const auto within =
      std::count_if(behind.begin(), behind.end(), [](double one) { return one <= kGoal; });
  return "within 2 % of the best known: " + std::to_string(within) + " of " +
         std::to_string(behind.size()) + " layers; at worst " +
         shown(100 * *std::max_element(behind.begin(), behind.end()), 1, " % behind\n");
}

}  // namespace

std::vector<std::string> promising(const std::vector<QualityRow>& rows, std::size_t fastest,
                                   std::size_t first) {
  std::vector<std::string> schedules;
  for (const bool listed : {true, false}) {
    std::vector<const QualityRow*> side;
    for (const QualityRow& row : rows)
      if ((row.rank > 0) == listed && std::isfinite(row.seconds)) side.push_back(&row);
    const std::size_t kept = std::min(first, side.size());
    if (listed)
      std::stable_sort(side.begin(), side.end(),
                       [](const QualityRow* a, const QualityRow* b) { return a->rank < b->rank; });
    std::stable_sort(
        side.begin() + static_cast<std::ptrdiff_t>(kept), side.end(),
        [](const QualityRow* a, const QualityRow* b) { return a->seconds < b->seconds; });
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

void study_candidates(const Machine& machine, const SearchStudyOptions& options,
                      const std::function<void(const std::string&)>& say) {
  StudyFolder folder(options, kTable, say);
  const std::string head = results_head(kStudy, machine, options) + "# per layer at most " +
                           shown(options.budget_seconds, 0, " s and ") +
                           std::to_string(options.measurements) +
                           " random schedules; the most promising of the list and of the others "
                           "measured twice more, side by side\n"
                           "# behind: the best of the list over the best known, - 1\n";
  folder.say(head + table_head());
  std::string table = head +
                      "layer,origin,rank,predicted_s,microkernel,order_class,seconds,again_s,"
                      "schedule\n";
  std::vector<ListQuality> layers;
  for (const Problem& problem : options.layers) {
    if (stop_requested()) break;
    const std::string layer = name_of(problem);
    const CandidateList list = candidate_list(problem, machine, {.top = kListed});
    const LayerSearch search =
        search_layer(problem, machine, tasks_of(problem, machine, list, options),
                     layer_options(options, kStudy));
    std::vector<QualityRow> rows = rows_of(search, list);
    look_again(problem, machine, options, rows);
    const ListVariety variety = variety_of(list);
    layers.push_back(quality_of(rows, {.layer = layer,
                                       .listed = static_cast<int>(list.candidates.size()),
                                       .pairs = variety.pairs,
                                       .same_volumes = variety.same_volumes}));
    table += lines_of(layer, rows, list);
    folder.write("candidates-" + file_part(layer) + ".svg",
                 plot_of(layer, rows, list, machine.name));
    folder.write(kTable, table);
    folder.say(table_line(layers.back()));
  }
  folder.say(worst_line(layers));
}

}  // namespace tileplan
