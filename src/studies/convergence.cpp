// SPDX-License-Identifier: Apache-2.0
// Search, compare the winners side by side, write.
#include "convergence.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <map>
#include <sstream>

#include "line_plot.h"
#include "statistics.h"
#include "stop.h"
#include "strategy.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

/// Shares of the best time that are asked for.
constexpr double kGood = 0.95, kVeryGood = 0.98;

/// Schedules of the model that count as its answer.
constexpr std::size_t kModelTop = 10;

std::vector<SearchTask> tasks_of(const SearchStudyOptions& options) {
  const SearchBudget budget{.measurements = options.measurements,
                            .seconds = options.budget_seconds};
  std::vector<SearchTask> tasks;
  for (const std::string& strategy : strategy_names()) {
    const int searches = is_random(strategy) ? options.seeds : 1;
    for (int i = 0; i < searches; ++i)
      tasks.push_back({.strategy = strategy,
                       .seed = options.seed + static_cast<std::uint64_t>(i),
                       .budget = budget});
  }
  return tasks;
}

/// Each improvement of a course: measurements, best seconds.
std::vector<LinePoint> improvements(const SearchCourse& course) {
  std::vector<LinePoint> points;
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < course.steps.size(); ++i)
    if (course.steps[i].seconds < best) {
      best = course.steps[i].seconds;
      points.push_back({static_cast<double>(i + 1), best});
    }
  return points;
}

std::string rows_of(const std::string& layer, const LayerSearch& search) {
  std::ostringstream rows;
  rows.precision(9);
  for (const SearchCourse& course : search.courses)
    for (const LinePoint& point : improvements(course))
      rows << layer << ',' << course.task.strategy << ',' << course.task.seed << ',' << point.x
           << ',' << point.y << ',' << course.steps.size() << ','
           << (course.complete ? "yes" : "no") << '\n';
  return rows.str();
}

std::string plot_of(const std::string& layer, const Machine& machine, const LayerSearch& search,
                    double best) {
  LinePlot plot{.title = layer + ", " + machine.name + ", hot caches, 1 thread, first seed",
                .x_title = "measurements",
                .y_title = "share of the best time known",
                .log_x = true,
                .steps = true};
  std::map<std::string, bool> drawn;
  for (const SearchCourse& course : search.courses) {
    if (drawn[course.task.strategy] || !std::isfinite(best_seconds(course))) continue;
    drawn[course.task.strategy] = true;
    LineSeries series{.name = course.task.strategy, .points = improvements(course)};
    for (LinePoint& point : series.points) point.y = best / point.y;
    series.points.push_back({static_cast<double>(course.steps.size()), series.points.back().y});
    plot.series.push_back(std::move(series));
  }
  return line_plot_svg(plot);
}

/// The fastest schedule of each strategy and of the model's first ones.
std::map<std::string, std::string> winners(const LayerSearch& search) {
  std::map<std::string, std::string> best;
  std::map<std::string, double> seconds;
  for (const SearchCourse& course : search.courses) {
    const bool is_model = course.task.strategy == "model";
    for (std::size_t i = 0; i < course.steps.size(); ++i) {
      const SearchStep& step = course.steps[i];
      const std::string name = is_model && i < kModelTop ? "model, first 10" : course.task.strategy;
      const auto [place, is_new] = seconds.try_emplace(name, step.seconds);
      if (!std::isfinite(step.seconds) || (!is_new && step.seconds >= place->second)) continue;
      place->second = step.seconds;
      best[name] = step.schedule;
    }
  }
  return best;
}

/// Median seconds of the winners, measured interleaved: means of three samples taken at different
/// times favour the lucky.
std::map<std::string, double> side_by_side(const Problem& problem, const Machine& machine,
                                           const std::map<std::string, std::string>& winners) {
  Plan plan;
  plan.problem = problem;
  plan.machine = machine_for(machine, type_of(problem));
  std::map<std::string, double> seconds;
  for (const auto& [name, schedule] : winners) {
    const Schedule parsed = parse_schedule(schedule);
    const auto is_same = [&](const Candidate& one) { return one.schedule == parsed; };
    if (std::none_of(plan.candidates.begin(), plan.candidates.end(), is_same))
      plan.candidates.push_back({.schedule = parsed});
  }
  plan.options.verify = static_cast<int>(plan.candidates.size());
  plan.options.budget_seconds = 2.0 * plan.options.verify;
  if (plan.candidates.empty() || stop_requested()) return seconds;
  plan = verify(std::move(plan));
  for (const auto& [name, schedule] : winners)
    for (const Candidate& one : plan.candidates)
      if (one.measurement && to_string(one.schedule) == schedule)
        seconds[name] = one.measurement->median_seconds;
  return seconds;
}

std::string number(const std::optional<double>& value) {
  if (!value) return "-";
  std::ostringstream text;
  text << std::setprecision(4) << *value;
  return text.str();
}

std::string layer_summary(const std::string& layer, const LayerSearch& search,
                          const std::map<std::string, double>& together, double best) {
  std::ostringstream text;
  text << layer << ": best " << best * 1e6 << " us; " << search.seconds_per_measurement
       << " s per measurement\n"
       << "  strategy          share  measurements to 95 %, 98 %  seconds to 95 %, 98 %\n";
  double fastest = std::numeric_limits<double>::infinity();
  for (const auto& [name, seconds] : together) fastest = std::min(fastest, seconds);
  for (const auto& [name, seconds] : together) {
    text << "  " << std::left << std::setw(18) << name << std::fixed << std::setprecision(3)
         << fastest / seconds << std::defaultfloat;
    const std::string strategy = name == "model, first 10" ? "model" : name;
    std::string counts, times;
    for (const double share : {kGood, kVeryGood}) {
      const std::optional<double> count =
          median_measurements(search.courses, strategy, best, share);
      counts += "  " + number(count);
      times += "  " + number(count ? std::optional(*count * search.seconds_per_measurement)
                                   : std::nullopt);
    }
    text << counts << "   " << times << '\n';
  }
  return text.str();
}

}  // namespace

std::optional<int> measurements_to(const SearchCourse& course, double best_seconds, double share) {
  for (std::size_t i = 0; i < course.steps.size(); ++i)
    if (course.steps[i].seconds <= best_seconds / share) return static_cast<int>(i + 1);
  return std::nullopt;
}

std::optional<double> median_measurements(const std::vector<SearchCourse>& courses,
                                          const std::string& strategy, double best_seconds,
                                          double share) {
  std::vector<double> counts;
  for (const SearchCourse& course : courses) {
    if (course.task.strategy != strategy) continue;
    const std::optional<int> count = measurements_to(course, best_seconds, share);
    counts.push_back(count ? *count : std::numeric_limits<double>::infinity());
  }
  if (counts.empty() || !std::isfinite(median(counts))) return std::nullopt;
  return median(counts);
}

void study_convergence(const Machine& machine, const SearchStudyOptions& options,
                       const std::function<void(const std::string&)>& say) {
  constexpr const char* kTable = "convergence.csv";
  StudyFolder folder(options, kTable, say);
  const std::string head = results_head("convergence", machine, options) + limits_line(options);
  folder.say(head +
             "# share: time of the fastest strategy over this one's, winners side by side\n");
  std::string table = head + "layer,strategy,seed,measurement,best_s,measurements,complete\n";
  for (const Problem& problem : options.layers) {
    if (stop_requested()) break;
    const std::string layer = name_of(problem);
    const LayerSearch search =
        search_layer(problem, machine, tasks_of(options), layer_options(options, "convergence"));
    double best = std::numeric_limits<double>::infinity();
    for (const SearchCourse& course : search.courses) best = std::min(best, best_seconds(course));
    if (!std::isfinite(best)) {
      folder.say(layer + ": nothing was measured undisturbed\n");
      continue;
    }
    table += rows_of(layer, search);
    folder.write("convergence-" + file_part(layer) + ".svg", plot_of(layer, machine, search, best));
    folder.write(kTable, table);
    folder.say(layer_summary(layer, search, side_by_side(problem, machine, winners(search)), best));
  }
}

}  // namespace tileplan
