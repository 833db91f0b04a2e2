// SPDX-License-Identifier: Apache-2.0
// The child's searches and the lines in which it tells of them.
#include "layer_search.h"

#include <algorithm>
#include <limits>
#include <sstream>

#include "isolate.h"
#include "merged.h"
#include "schedule_evaluator.h"
#include "stop.h"
#include "strategy.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"

namespace tileplan {

namespace {

/// Seconds on the processor after which a schedule counts as an endless loop.
constexpr double kStallSeconds = 60;

/// "begin SCHEDULE" before each measurement; after each search "course", its steps, "complete".
std::string course_text(const Session& session, bool complete) {
  std::ostringstream text;
  text.precision(17);
  text << "course\n";
  for (const Measured& one : session.history())
    text << "step " << one.mean() << ' ' << one.candidate << '\n';
  if (complete) text << "complete\n";
  return text.str();
}

void run_tasks(const Plan& plan, const std::vector<SearchTask>& tasks,
               const LayerSearchOptions& options, Progress& progress, const Say& say) {
  ScheduleEvaluator evaluator(
      plan, {.records = options.records, .version = options.version, .seed = options.seed});
  evaluator.on_measure = [&](const std::string& schedule) {
    progress.begin(0);
    say("begin " + schedule + '\n');
  };
  const Computation computation = merged(computation_of(plan.problem));
  const ScheduleSpace space(computation, plan.machine,
                            [&](const Schedule& schedule) { return evaluator.can_run(schedule); });
  SearchProblem problem{.computation = computation, .machine = plan.machine, .space = space};
  for (const Candidate& one : plan.candidates) problem.ranked.push_back(to_string(one.schedule));
  for (const SearchTask& task : tasks) {
    const auto stop = [&] { return progress.is_asked_to_stop(); };
    Session session(
        [&](const std::string& schedule) {
          Evaluation evaluation = evaluator.evaluate(schedule);
          progress.begin(-1);
          return evaluation;
        },
        task.budget, steady_clock(), stop);
    if (task.strategy == kFixed)
      for (const std::string& schedule : task.schedules) session.measure(schedule);
    else
      run_strategy(task.strategy, problem, session, task.seed);
    say(course_text(session, !stop()));
    if (stop()) break;
  }
  say("cost " + std::to_string(evaluator.mean_seconds()) + '\n');
}

/// The schedule that was begun last.
std::string last_begun(const std::string& output) {
  const std::size_t begin = output.rfind("begin ");
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + std::string("begin ").size();
  return output.substr(from, output.find('\n', from) - from);
}

void read_courses(const std::string& output, LayerSearch& result) {
  std::istringstream lines(output);
  std::size_t course = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "course" && course < result.courses.size()) ++course;
    if (kind == "cost") words >> result.seconds_per_measurement;
    if (kind == "complete") result.courses[course - 1].complete = true;
    if (kind != "step") continue;
    std::string seconds, schedule;
    words >> seconds;
    words.get();
    std::getline(words, schedule);
    result.courses[course - 1].steps.push_back(
        {.schedule = schedule,
         .seconds =
             seconds == "inf" ? std::numeric_limits<double>::infinity() : std::stod(seconds)});
  }
}

}  // namespace

LayerSearch search_layer(const Problem& problem, const Machine& machine,
                         const std::vector<SearchTask>& tasks, const LayerSearchOptions& options) {
  const Plan ranked = plan(problem, machine, {.top = options.ranked, .seed = options.seed});
  LayerSearch result;
  for (const SearchTask& task : tasks) result.courses.push_back({.task = task});
  for (const Candidate& one : ranked.candidates) result.ranked.push_back(to_string(one.schedule));
  for (;;) {
    const IsolateResult child =
        run_isolated([&](Progress& progress,
                         const Say& say) { run_tasks(ranked, tasks, options, progress, say); },
                     {.stall_seconds = kStallSeconds, .stop = stop_requested});
    if (child.finished()) {
      read_courses(child.output, result);
      return result;
    }
    const std::string culprit = last_begun(child.output);
    if (child.item < 0 || culprit.empty())
      throw Error("search: its child was " + child.failure + " between measurements");
    Record failure = evaluation_key(ranked, culprit, options.version);
    failure.failure = child.failure;
    Records(options.records).add({&failure, 1});
  }
}

double best_seconds(const SearchCourse& course) {
  double best = std::numeric_limits<double>::infinity();
  for (const SearchStep& step : course.steps) best = std::min(best, step.seconds);
  return best;
}

}  // namespace tileplan
