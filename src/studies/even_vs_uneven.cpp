// SPDX-License-Identifier: Apache-2.0
// This file runs searches, divides schedules into two kinds, and measures the best of each kind
// again. It also measures random schedules and the model's first ones for the study `distribution`.
#include "even_vs_uneven.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "computation.h"
#include "mapped.h"
#include "remeasure_finalists.h"
#include "statistics.h"
#include "studies.h"
#include "text_table.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

/// This many of the fastest schedules of each kind are measured again, in this share of the time.
constexpr std::size_t kFinalists = 3;
constexpr double kAgainShare = 0.25;

/// Differences below this share count as ties, because medians of 15 samples cannot resolve them.
constexpr double kNoise = 0.01;

constexpr int kModelTop = 10;
// The search for the first ten of both kinds looks at this many candidates.
constexpr int kRanked = 1000;

struct KindStudy {
  std::string name;
  KindNames kinds;
  std::string question;  ///< This text is a comment line above the results.
  bool model_first;      ///< If true, the model's best are measured before random draws.
};

EvenAndUneven split(const Problem& problem, const Machine& machine, const LayerSearch& search) {
  EvenAndUneven kinds;
  std::set<std::string> seen;
  for (const SearchCourse& course : search.courses)
    for (const SearchStep& step : course.steps) {
      if (!std::isfinite(step.seconds) || !seen.insert(step.schedule).second) continue;
      const Schedule schedule = parse_schedule(step.schedule);
      const Plan plan = plan_of(problem, machine, schedule);
      (is_uneven(schedule) ? kinds.uneven : kinds.even)
          .push_back({.schedule = step.schedule,
                      .predicted_seconds = plan.candidates.front().prediction.seconds,
                      .seconds = step.seconds});
    }
  std::ranges::sort(kinds.even, {}, &TimedSchedule::seconds);
  std::ranges::sort(kinds.uneven, {}, &TimedSchedule::seconds);
  return kinds;
}

std::vector<double> times_of(const std::vector<TimedSchedule>& kind) {
  return mapped(kind, &TimedSchedule::seconds);
}

std::string kind_line(const std::string& name, const std::vector<TimedSchedule>& kind,
                      double peak) {
  const std::string line = joined("  ", name, ": ", kind.size(), " schedules");
  if (kind.empty()) return line + '\n';
  const std::optional<double> best = best_again(kind);
  return line +
         (best ? joined(", best ", decimals(best, 1, kMicroseconds), " us (",
                        decimals(peak / *best, 1, kPercent), " % of peak)")
               : ", the best never undisturbed") +
         ", predicted " + decimals(best_predicted(kind), 1, kMicroseconds) + " us; half reach " +
         decimals(peak / median(times_of(kind)), 1, kPercent) + " %\n";
}

std::optional<double> ratio(std::optional<double> uneven, std::optional<double> even) {
  return even && uneven ? std::optional(*uneven / *even) : std::nullopt;
}

struct Ratios {
  std::vector<double> predicted, measured;

  std::string add(const KindNames& names, const EvenAndUneven& kinds) {
    const auto expected = ratio(best_predicted(kinds.uneven), best_predicted(kinds.even));
    const auto seen = ratio(best_again(kinds.uneven), best_again(kinds.even));
    if (expected && seen) {
      predicted.push_back(*expected);
      measured.push_back(*seen);
    }
    return "  time of the best of " + names.uneven + " over " + names.even + ": predicted " +
           decimals(expected, 3) + ", measured " + decimals(seen, 3) + '\n';
  }

  std::string totals(const KindNames& names) const {
    if (measured.empty()) return "no layer with both kinds\n";
    const auto faster =
        std::ranges::count_if(measured, [](double one) { return one < 1 - kNoise; });
    const auto slower =
        std::ranges::count_if(measured, [](double one) { return one > 1 + kNoise; });
    return joined(names.uneven, " over ", names.even, ", medians of ", measured.size(),
                  " layers: predicted ", decimals(median(predicted), 3), ", measured ",
                  decimals(median(measured), 3), "; faster by more than 1 % on ", faster,
                  ", slower on ", slower, '\n');
  }
};

SearchTask random_draws(const StudyOptions& options) {
  return {.strategy = "random",
          .seed = options.seed,
          .budget = {.measurements = options.measurements, .seconds = options.budget_seconds}};
}

/// Returns the tasks of the study. They measure the model's best schedules of each kind, if the
/// study needs them, and then random schedules until the measurements or the time of `options` are
/// used up.
std::vector<SearchTask> tasks_of(const KindStudy& study, const Problem& problem,
                                 const Machine& machine, const StudyOptions& options) {
  SearchTask random = random_draws(options);
  if (!study.model_first) return {random};
  random.round = 1;
  SearchTask even{.strategy = kFixed, .budget = random.budget}, uneven = even;
  for (const Candidate& one : plan(problem, machine, {.top = kRanked}).candidates) {
    std::vector<std::string>& kind = (is_uneven(one.schedule) ? uneven : even).schedules;
    if (std::ssize(kind) < kModelTop) kind.push_back(to_string(one.schedule));
  }
  return {even, uneven, random};
}

/// Measures the schedules of the study's tasks and then the fastest of each kind again, within
/// `options.budget_seconds`.
EvenAndUneven measure_kinds(const Problem& problem, const Machine& machine,
                            const StudyOptions& options, const KindStudy& study) {
  const LayerSearchOptions search =
      layer_options(options, study.name, (1 - kAgainShare) * options.budget_seconds);
  EvenAndUneven kinds =
      split(problem, machine,
            search_layer(problem, machine, tasks_of(study, problem, machine, options), search));
  std::vector<std::string> finalists;
  for (const auto* kind : {&kinds.even, &kinds.uneven})
    for (std::size_t i = 0; i < std::min(kFinalists, kind->size()); ++i)
      finalists.push_back((*kind)[i].schedule);
  if (stop_requested()) return kinds;
  const std::map<std::string, double> again = remeasure_finalists(
      problem, machine, finalists,
      remeasure_options(options, study.name + ", again", kAgainShare * options.budget_seconds));
  for (auto* kind : {&kinds.even, &kinds.uneven})
    for (TimedSchedule& one : *kind)
      if (const auto found = again.find(one.schedule); found != again.end())
        one.again_seconds = found->second;
  return kinds;
}

void study_kinds(const KindStudy& study, const Machine& machine, const StudyOptions& options,
                 const Print& print) {
  Ratios ratios;
  const auto measure = [&](const Problem& problem) -> std::optional<LayerResults> {
    const std::string layer = name_of(problem);
    const EvenAndUneven kinds = measure_kinds(problem, machine, options, study);
    if (stop_requested() || (kinds.even.empty() && kinds.uneven.empty())) return std::nullopt;
    const double peak = peak_seconds(problem, machine);
    return LayerResults{
        .rows = kind_rows(layer, study.kinds, kinds),
        .svg = share_plot(layer, machine,
                          {share_curve(study.kinds.even, times_of(kinds.even), peak),
                           share_curve(study.kinds.uneven, times_of(kinds.uneven), peak)}),
        .text = layer + '\n' + kind_line(study.kinds.even, kinds.even, peak) +
                kind_line(study.kinds.uneven, kinds.uneven, peak) + ratios.add(study.kinds, kinds)};
  };
  study_layers({.name = study.name,
                .conditions = limits_line(options) + "# " + study.question + '\n',
                .columns = "layer,kind,predicted_s,seconds,again_s,schedule"},
               machine, options, print, measure)
      .say(ratios.totals(study.kinds));
}

std::vector<double> times_of(const SearchCourse& course) {
  std::vector<double> times;
  for (const SearchStep& step : course.steps)
    if (std::isfinite(step.seconds)) times.push_back(step.seconds);
  std::sort(times.begin(), times.end());
  return times;
}

std::string rows_of(const std::string& layer, const LayerSearch& search) {
  std::string rows;
  for (const SearchCourse& course : search.courses)
    for (const SearchStep& step : course.steps)
      rows += csv_line(fields_of(layer, course.task.strategy, step.seconds, step.schedule));
  return rows;
}

std::string layer_summary(const std::string& layer, const std::vector<double>& random,
                          const std::vector<double>& model, double first_model) {
  const auto microseconds = [](double seconds) { return decimals(seconds, 1, kMicroseconds); };
  const auto slower = [&](double seconds) {
    return decimals(share_slower(random, seconds), 1, kPercent);
  };
  return joined(layer, ": ", random.size(), " random schedules, fastest ",
                microseconds(random.front()), " us, median ", microseconds(median(random)),
                " us; the model's first is faster than ", slower(first_model),
                " % of them, its best of ", model.size(), " (", microseconds(model.front()),
                " us) than ", slower(model.front()), " %\n");
}

}  // namespace

bool is_uneven(const Schedule& schedule) {
  return std::ranges::any_of(schedule.loops, &Specifier::is_lambda);
}

std::optional<double> best_again(const std::vector<TimedSchedule>& kind) {
  std::optional<double> best;
  for (const TimedSchedule& one : kind)
    if (one.again_seconds && (!best || *one.again_seconds < *best)) best = one.again_seconds;
  return best;
}

std::optional<double> best_predicted(const std::vector<TimedSchedule>& kind) {
  if (kind.empty()) return std::nullopt;
  return std::ranges::min(kind, {}, &TimedSchedule::predicted_seconds).predicted_seconds;
}

std::string kind_rows(const std::string& layer, const KindNames& names,
                      const EvenAndUneven& kinds) {
  std::string rows;
  for (const auto& [name, kind] :
       {std::pair(&names.even, &kinds.even), {&names.uneven, &kinds.uneven}})
    for (const TimedSchedule& one : *kind)
      rows += csv_line(fields_of(layer, *name, one.predicted_seconds, one.seconds,
                                 one.again_seconds, one.schedule));
  return rows;
}

double peak_seconds(const Problem& problem, const Machine& machine) {
  return flops(computation_of(problem)) / peak_flops(machine_for(machine, types_of(problem)));
}

double share_slower(const std::vector<double>& all, double seconds) {
  const auto slower = std::ranges::count_if(all, [&](double one) { return one > seconds; });
  return static_cast<double>(slower) / static_cast<double>(all.size());
}

PlotSeries share_curve(const std::string& name, const std::vector<double>& seconds,
                       double peak_seconds) {
  PlotSeries series{.name = name};
  for (std::size_t i = seconds.size(); i-- > 0;)
    series.points.push_back({100 * peak_seconds / seconds[i],
                             static_cast<double>(i + 1) / static_cast<double>(seconds.size())});
  return series;
}

std::string share_plot(const std::string& layer, const Machine& machine,
                       std::vector<PlotSeries> curves) {
  return plot_svg({.titles = {.title = layer + conditions_title(machine),
                              .x = "share of peak [%]",
                              .y = "share of the schedules that reach it"},
                   .series = std::move(curves)});
}

void study_combinations(const Machine& machine, const StudyOptions& options, const Print& print) {
  study_kinds({.name = "combinations",
               .kinds = {.even = "one kernel", .uneven = "combinations"},
               .question = "schedules drawn at random, with one microkernel or two that cover a "
                           "dimension together",
               .model_first = false},
              machine, options, print);
}

void study_divisibility(const Machine& machine, const StudyOptions& options, const Print& print) {
  study_kinds({.name = "divisibility",
               .kinds = {.even = "divisors", .uneven = "uneven tiles"},
               .question = "the model's first ten schedules of both kinds, then random draws; "
                           "uneven: an L at the registers or a cache",
               .model_first = true},
              machine, options, print);
}

void study_distribution(const Machine& machine, const StudyOptions& options, const Print& print) {
  const auto measure = [&](const Problem& problem) -> std::optional<LayerResults> {
    const std::string layer = name_of(problem);
    const LayerSearch search =
        search_layer(problem, machine,
                     {{.strategy = "model",
                       .budget = {.measurements = kModelTop, .seconds = options.budget_seconds}},
                      random_draws(options)},
                     layer_options(options, "distribution"));
    const std::vector<double> model = times_of(search.courses[0]);
    const std::vector<double> random = times_of(search.courses[1]);
    if (model.empty() || random.empty()) return std::nullopt;
    const double peak = peak_seconds(problem, machine);
    return LayerResults{
        .rows = rows_of(layer, search),
        .svg = share_plot(layer, machine,
                          {share_curve("random", random, peak),
                           share_curve("the model's first 10", model, peak)}),
        .text = layer_summary(layer, random, model, search.courses[0].steps.front().seconds)};
  };
  study_layers({.name = "distribution",
                .conditions = limits_line(options),
                .columns = "layer,drawn by,seconds,schedule"},
               machine, options, print, measure);
}

}  // namespace tileplan
