// SPDX-License-Identifier: Apache-2.0
// This file converts searches into rows, and computes shares and efforts from rows.
#include "convergence_rows.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "csv.h"
#include "mapped.h"
#include "statistics.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr double kGood = 0.95, kVeryGood = 0.98;

/// Schedules that were slower than the best by more than this factor in the first samples are
/// assumed not to be within 5 % of the best in later samples.
constexpr double kNear = 1.1;

constexpr std::size_t kModelTop = 10, kFastest = 3;

std::vector<bool> best_so_far(const SearchCourse& course) {
  std::vector<bool> was_best;
  double best = kInfinite;
  for (const SearchStep& step : course.steps) {
    was_best.push_back(step.seconds < best);
    best = std::min(best, step.seconds);
  }
  return was_best;
}

std::vector<std::size_t> finalists_of(const SearchCourse& course, double best) {
  std::vector<std::size_t> order, chosen;
  for (std::size_t i = 0; i < course.steps.size(); ++i)
    if (std::isfinite(course.steps[i].seconds)) order.push_back(i);
  const std::vector<bool> was_best = best_so_far(course);
  for (const std::size_t i : order)
    if (was_best[i] && course.steps[i].seconds <= kNear * best) chosen.push_back(i);
  if (course.task.strategy == "model")
    for (const std::size_t i : order)
      if (i < kModelTop) chosen.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return course.steps[i].seconds; });
  order.resize(std::min(order.size(), kFastest));
  chosen.insert(chosen.end(), order.begin(), order.end());
  return chosen;
}

/// Holds the rows of one search in the order of measurement.
using Search = std::vector<const ConvergenceRow*>;

Effort effort_to(const Search& search, double most_seconds) {
  for (const ConvergenceRow* row : search)
    if (row->was_best && row->again && *row->again <= most_seconds)
      return {.measurements = static_cast<double>(row->measurement), .seconds = row->after_seconds};
  return {};
}

std::optional<Effort> median_effort(const std::vector<Search>& searches, double most_seconds) {
  const std::vector<Effort> efforts =
      mapped(searches, [&](const Search& search) { return effort_to(search, most_seconds); });
  const Effort all{.measurements = median(mapped(efforts, &Effort::measurements)),
                   .seconds = median(mapped(efforts, &Effort::seconds))};
  return std::isfinite(all.measurements) ? std::optional(all) : std::nullopt;
}

StrategyResult result_of(const std::string& strategy, const std::vector<Search>& searches,
                         double best) {
  StrategyResult result{.strategy = strategy, .complete = true};
  std::vector<double> measurements;
  for (const Search& search : searches) {
    measurements.push_back(search.front()->measurements);
    result.complete = result.complete && search.front()->complete;
    const auto last = std::find_if(search.rbegin(), search.rend(),
                                   [](const ConvergenceRow* row) { return row->was_best; });
    if (last != search.rend() && (*last)->again) result.finals.push_back(*(*last)->again);
  }
  const std::vector<double> shares =
      mapped(result.finals, [&](double seconds) { return best / seconds; });
  result.measurements = median(measurements);
  if (!shares.empty()) result.share = median(shares);
  result.good = median_effort(searches, best / kGood);
  result.very_good = median_effort(searches, best / kVeryGood);
  return result;
}

/// Returns the row with the shortest median of later samples, among rows for which `counts` returns
/// true, or null.
template <class Counts>
const ConvergenceRow* fastest(const std::vector<ConvergenceRow>& rows, const Counts& counts) {
  const ConvergenceRow* best = nullptr;
  for (const ConvergenceRow& row : rows)
    if (row.again && counts(row) && (best == nullptr || *row.again < *best->again)) best = &row;
  return best;
}

ConvergenceRow row_of(CsvRow fields) {
  return {.layer = fields.text(),
          .strategy = fields.text(),
          .seed = static_cast<std::uint64_t>(fields.whole()),
          .measurement = static_cast<int>(fields.whole()),
          .after_seconds = fields.number(),
          .seconds = fields.number(),
          .again = fields.optional_number(),
          .was_best = fields.whole() == 1,
          .measurements = static_cast<int>(fields.whole()),
          .complete = fields.whole() == 1,
          .schedule = fields.text()};
}

}  // namespace

std::string convergence_columns() {
  return "layer,strategy,seed,measurement,after_s,mean_s,again_s,was_best,measurements,complete,"
         "schedule\n";
}

std::string to_csv(const std::vector<ConvergenceRow>& rows) {
  std::string lines;
  for (const ConvergenceRow& row : rows)
    lines += csv_line(fields_of(row.layer, row.strategy, row.seed, row.measurement,
                                row.after_seconds, row.seconds, row.again, row.was_best,
                                row.measurements, row.complete, row.schedule));
  return lines;
}

std::vector<ConvergenceRow> parse_convergence_csv(const std::string& text,
                                                  const std::string& origin) {
  const CsvTable table = parse_csv(text, origin);
  if (csv_line(table.columns) != convergence_columns())
    throw Error(origin + ": has other columns; must be " + convergence_columns());
  std::vector<ConvergenceRow> rows;
  try {
    for (const CsvFields& fields : table.rows) rows.push_back(row_of(CsvRow(fields)));
  } catch (const Error& error) {
    throw Error(origin + ": " + error.what());
  }
  return rows;
}

std::vector<ConvergenceRow> rows_of(const std::string& layer,
                                    const std::vector<ConvergenceRow>& rows) {
  std::vector<ConvergenceRow> own = rows;
  std::erase_if(own, [&](const ConvergenceRow& row) { return row.layer != layer; });
  return own;
}

std::vector<std::string> strategies_of(const std::vector<ConvergenceRow>& rows) {
  std::vector<std::string> names;
  for (const ConvergenceRow& row : rows)
    if (std::ranges::find(names, row.strategy) == names.end()) names.push_back(row.strategy);
  return names;
}

std::vector<std::string> convergence_finalists(const LayerSearch& search) {
  double best = kInfinite;
  for (const SearchCourse& course : search.courses) best = std::min(best, best_seconds(course));
  std::vector<std::string> schedules;
  std::set<std::string> seen;
  for (const SearchCourse& course : search.courses)
    for (const std::size_t i : finalists_of(course, best))
      if (seen.insert(course.steps[i].schedule).second)
        schedules.push_back(course.steps[i].schedule);
  return schedules;
}

std::vector<ConvergenceRow> convergence_rows(const std::string& layer, const LayerSearch& search,
                                             const std::map<std::string, double>& again) {
  std::vector<ConvergenceRow> rows;
  for (const SearchCourse& course : search.courses) {
    const std::vector<bool> was_best = best_so_far(course);
    for (std::size_t i = 0; i < course.steps.size(); ++i) {
      const SearchStep& step = course.steps[i];
      const auto second = again.find(step.schedule);
      if (!was_best[i] && second == again.end()) continue;
      rows.push_back({.layer = layer,
                      .strategy = course.task.strategy,
                      .seed = course.task.seed,
                      .measurement = static_cast<int>(i + 1),
                      .after_seconds = step.after_seconds,
                      .seconds = step.seconds,
                      .again = second == again.end() ? std::nullopt : std::optional(second->second),
                      .was_best = was_best[i],
                      .measurements = static_cast<int>(course.steps.size()),
                      .complete = course.complete,
                      .schedule = step.schedule});
    }
  }
  return rows;
}

std::optional<LayerResult> result_of(const std::vector<ConvergenceRow>& rows) {
  const ConvergenceRow* best = fastest(rows, [](const ConvergenceRow&) { return true; });
  if (best == nullptr) return std::nullopt;
  LayerResult result{.layer = best->layer,
                     .best_seconds = *best->again,
                     .best_strategy = best->strategy,
                     .best_schedule = best->schedule};
  const ConvergenceRow* model = fastest(rows, [](const ConvergenceRow& row) {
    return row.strategy == "model" && row.measurement <= static_cast<int>(kModelTop);
  });
  if (model != nullptr) result.model_top = result.best_seconds / *model->again;
  std::map<std::string, std::map<std::uint64_t, Search>> searches;
  for (const ConvergenceRow& row : rows) searches[row.strategy][row.seed].push_back(&row);
  for (const std::string& name : strategies_of(rows)) {
    std::vector<Search> own;
    for (const auto& [seed, search] : searches[name]) own.push_back(search);
    result.strategies.push_back(result_of(name, own, result.best_seconds));
  }
  return result;
}

std::vector<CoursePoint> course_of(const std::vector<ConvergenceRow>& rows,
                                   const std::string& strategy) {
  std::map<std::string, double> best;
  std::map<std::string, std::uint64_t> first_seed;
  for (const ConvergenceRow& row : rows) {
    double& own = best.try_emplace(row.layer, kInfinite).first->second;
    own = std::min(own, row.again.value_or(kInfinite));
    if (row.strategy == strategy) first_seed.try_emplace(row.layer, row.seed);
  }
  std::map<int, std::vector<const ConvergenceRow*>> events;
  for (const ConvergenceRow& row : rows)
    if (row.strategy == strategy && row.was_best && row.seed == first_seed[row.layer] &&
        std::isfinite(best[row.layer]))
      events[row.measurement].push_back(&row);
  std::map<std::string, double> shares = best;
  for (auto& [layer, share] : shares) share = 0;
  std::vector<CoursePoint> course;
  for (const auto& [measurement, news] : events) {
    for (const ConvergenceRow* row : news)
      shares[row->layer] = std::min(1.0, best[row->layer] / row->again.value_or(row->seconds));
    course.push_back({.measurement = measurement,
                      .share = median(mapped(shares, [](const auto& one) { return one.second; }))});
  }
  return course;
}

}  // namespace tileplan
