// SPDX-License-Identifier: Apache-2.0
// Search, split, look again, write.
#include "even_vs_uneven.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>

#include "csv.h"
#include "remeasure_finalists.h"
#include "share_curve.h"
#include "statistics.h"
#include "stop.h"
#include "tileplan/plan.h"

namespace tileplan {

namespace {

/// Of the fastest of each kind, those that are looked at again, and the share of the time for it.
constexpr std::size_t kFinalists = 3;
constexpr double kAgainShare = 0.25;

/// A kind is ahead when its best is faster by more than this: what medians of 15 samples tell
/// apart.
constexpr double kAhead = 0.01;

TwoKinds split(const Problem& problem, const Machine& machine, const LayerSearch& search) {
  TwoKinds kinds;
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
  for (auto* kind : {&kinds.even, &kinds.uneven})
    std::sort(kind->begin(), kind->end(),
              [](const KindSchedule& a, const KindSchedule& b) { return a.seconds < b.seconds; });
  return kinds;
}

std::vector<double> times_of(const std::vector<KindSchedule>& kind) {
  std::vector<double> times;
  times.reserve(kind.size());
  for (const KindSchedule& one : kind) times.push_back(one.seconds);
  return times;
}

/// "divisors: 10 schedules, best 812.1 us (97.1 % of peak), predicted 800.0 us; half reach 60.2 %".
std::string kind_line(const std::string& name, const std::vector<KindSchedule>& kind, double peak) {
  std::ostringstream line;
  line << std::fixed << std::setprecision(1) << "  " << name << ": " << kind.size() << " schedules";
  if (kind.empty()) return line.str() + '\n';
  const std::optional<double> best = best_again(kind);
  if (best)
    line << ", best " << *best * 1e6 << " us (" << 100 * peak / *best << " % of peak)";
  else
    line << ", the best never undisturbed";
  line << ", predicted " << *best_predicted(kind) * 1e6 << " us; half reach "
       << 100 * peak / median(times_of(kind)) << " %\n";
  return line.str();
}

std::optional<double> ratio(const std::optional<double>& first,
                            const std::optional<double>& second) {
  if (!first || !second) return std::nullopt;
  return *first / *second;
}

std::string number(const std::optional<double>& value) {
  if (!value) return "-";
  std::ostringstream text;
  text << std::fixed << std::setprecision(3) << *value;
  return text.str();
}

/// Time of the best uneven schedule over that of the best even one, of each layer.
struct Ratios {
  std::vector<double> predicted, measured;

  std::string add(const KindNames& names, const TwoKinds& kinds) {
    const auto expected = ratio(best_predicted(kinds.uneven), best_predicted(kinds.even));
    const auto seen = ratio(best_again(kinds.uneven), best_again(kinds.even));
    if (expected && seen) {
      predicted.push_back(*expected);
      measured.push_back(*seen);
    }
    return "  time of the best of " + names.uneven + " over " + names.even + ": predicted " +
           number(expected) + ", measured " + number(seen) + '\n';
  }

  std::string totals(const KindNames& names) const {
    if (measured.empty()) return "no layer with both kinds\n";
    const auto faster = [](double value) { return value < 1 - kAhead; };
    const auto slower = [](double value) { return value > 1 + kAhead; };
    std::ostringstream text;
    text << names.uneven << " over " << names.even << ", medians of " << measured.size()
         << " layers: predicted " << number(median(predicted)) << ", measured "
         << number(median(measured)) << "; faster by more than 1 % on "
         << std::count_if(measured.begin(), measured.end(), faster) << ", slower on "
         << std::count_if(measured.begin(), measured.end(), slower) << '\n';
    return text.str();
  }
};

}  // namespace

bool is_uneven(const Schedule& schedule) {
  return std::any_of(schedule.loops.begin(), schedule.loops.end(),
                     [](const Specifier& loop) { return loop.is_lambda(); });
}

TwoKinds measure_kinds(const Problem& problem, const Machine& machine,
                       const std::vector<SearchTask>& tasks, const SearchStudyOptions& options,
                       const std::string& study) {
  LayerSearchOptions search = layer_options(options, study);
  search.budget_seconds = (1 - kAgainShare) * options.budget_seconds;
  TwoKinds kinds = split(problem, machine, search_layer(problem, machine, tasks, search));
  std::vector<std::string> finalists;
  for (const auto* kind : {&kinds.even, &kinds.uneven})
    for (std::size_t i = 0; i < std::min(kFinalists, kind->size()); ++i)
      finalists.push_back((*kind)[i].schedule);
  if (stop_requested()) return kinds;
  const std::map<std::string, double> again =
      second_look(problem, machine, finalists,
                  {.records = options.records,
                   .version = search.version + ", again",
                   .budget_seconds = kAgainShare * options.budget_seconds,
                   .seed = options.seed});
  for (auto* kind : {&kinds.even, &kinds.uneven})
    for (KindSchedule& one : *kind)
      if (const auto found = again.find(one.schedule); found != again.end())
        one.again_seconds = found->second;
  return kinds;
}

std::optional<double> best_again(const std::vector<KindSchedule>& kind) {
  std::optional<double> best;
  for (const KindSchedule& one : kind)
    if (one.again_seconds && (!best || *one.again_seconds < *best)) best = one.again_seconds;
  return best;
}

std::optional<double> best_predicted(const std::vector<KindSchedule>& kind) {
  std::optional<double> best;
  for (const KindSchedule& one : kind)
    if (!best || one.predicted_seconds < *best) best = one.predicted_seconds;
  return best;
}

std::string kind_rows(const std::string& layer, const KindNames& names, const TwoKinds& kinds) {
  std::ostringstream rows;
  const auto add = [&](const std::string& name, const std::vector<KindSchedule>& kind) {
    for (const KindSchedule& one : kind)
      rows << layer << ',' << name << ',' << csv_number(one.predicted_seconds) << ','
           << csv_number(one.seconds) << ','
           << (one.again_seconds ? csv_number(*one.again_seconds) : "") << ','
           << csv_quoted(one.schedule) << '\n';
  };
  add(names.even, kinds.even);
  add(names.uneven, kinds.uneven);
  return rows.str();
}

void study_kinds(const KindStudy& study, const Machine& machine, const SearchStudyOptions& options,
                 const std::function<void(const std::string&)>& say) {
  const std::string file = study.name + ".csv";
  StudyFolder folder(options, file, say);
  const std::string head = results_head(study.name, machine, options) + limits_line(options) +
                           "# " + study.question + '\n';
  folder.say(head);
  std::string table = head + kKindColumns;
  Ratios ratios;
  for (const Problem& problem : options.layers) {
    if (stop_requested()) break;
    const std::string layer = name_of(problem);
    const TwoKinds kinds = measure_kinds(problem, machine, study.tasks(problem, machine, options),
                                         options, study.name);
    if (stop_requested()) break;
    if (kinds.even.empty() && kinds.uneven.empty()) {
      folder.say(layer + ": nothing was measured undisturbed\n");
      continue;
    }
    const double peak = peak_seconds(problem, machine);
    table += kind_rows(layer, study.kinds, kinds);
    folder.write(study.name + '-' + file_part(layer) + ".svg",
                 share_plot(layer, machine,
                            {share_curve(study.kinds.even, times_of(kinds.even), peak),
                             share_curve(study.kinds.uneven, times_of(kinds.uneven), peak)}));
    folder.write(file, table);
    folder.say(layer + '\n' + kind_line(study.kinds.even, kinds.even, peak) +
               kind_line(study.kinds.uneven, kinds.uneven, peak) + ratios.add(study.kinds, kinds));
  }
  folder.say(ratios.totals(study.kinds));
}

}  // namespace tileplan
