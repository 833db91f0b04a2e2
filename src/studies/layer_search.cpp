// SPDX-License-Identifier: Apache-2.0
// The child's searches and the lines in which it tells of them.
#include "layer_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <sstream>

#include "droplet.h"
#include "isolate.h"
#include "merged.h"
#include "schedule_evaluator.h"
#include "stop.h"
#include "strategy.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"
#include "timer.h"

namespace tileplan {

namespace {

/// Seconds on the processor after which a schedule counts as an endless loop.
constexpr double kStallSeconds = 60;

/// A search that is measured here, or known from the records, with the time it would take alone.
class TimedSearch {
 public:
  TimedSearch(ScheduleEvaluator& evaluator, Progress& progress)
      : evaluator_(evaluator), progress_(progress) {}

  Evaluation evaluate(const std::string& schedule) {
    const double start = clock_();
    Evaluation evaluation = evaluator_.evaluate(schedule);
    progress_.begin(-1);
    const std::optional<double> cost = evaluator_.seconds_of(schedule);
    if (cost)
      credit_ += std::max(0.0, *cost - (clock_() - start));
    else
      ++from_records_;
    counts_.push_back(from_records_);
    return evaluation;
  }

  /// What the clock would show if nothing had been known.
  double clock() const { return clock_() + credit_; }

  /// "begin SCHEDULE" comes before each measurement; after each search "course", its steps as
  /// "step MEAN AFTER FROM-RECORDS SCHEDULE", "complete", "batches".
  std::string text(const Session& session, bool complete) const {
    std::ostringstream text;
    text.precision(17);
    text << "course\n";
    for (std::size_t i = 0; i < session.history().size(); ++i) {
      const Measured& one = session.history()[i];
      text << "step " << one.mean() << ' ' << one.after_seconds << ' ' << counts_[i] << ' '
           << one.candidate << '\n';
    }
    if (complete) text << "complete\n";
    return text.str();
  }

 private:
  ScheduleEvaluator& evaluator_;
  Progress& progress_;
  Clock clock_ = steady_clock();
  double credit_ = 0;
  int from_records_ = 0;
  std::vector<int> counts_;  ///< of each step, known from the records until then
};

/// Searches from `first` on that belong to its round.
std::size_t left_of_round(const std::vector<SearchTask>& tasks, std::size_t first) {
  const auto begin = tasks.begin() + static_cast<std::ptrdiff_t>(first);
  return static_cast<std::size_t>(std::count_if(
      begin, tasks.end(), [&](const SearchTask& one) { return one.round == begin->round; }));
}

/// What the child is to do.
struct Work {
  const Plan& plan;  ///< the schedules that the model ranks
  const std::vector<SearchTask>& tasks;
  const LayerSearchOptions& options;
  double deadline;  ///< of all tasks, on the steady clock
  Progress& progress;
  const Say& say;
};

/// Batches of a task with droplet settings, 0 of others.
int run_strategy(const SearchTask& task, const SearchProblem& problem, Session& session) {
  if (task.droplet)
    return droplet_search(problem.space.space(), session,
                          {.origin = problem.space.untiled(problem.space.model_choice()),
                           .p_value = task.droplet->p_value,
                           .width = task.droplet->width})
        .batches;
  if (task.strategy == kFixed)
    for (const std::string& schedule : task.schedules) session.measure(schedule);
  else
    run_strategy(task.strategy, problem, session, task.seed);
  return 0;
}

/// Runs task `i` and says how it went.
void run_task(const Work& work, std::size_t i, const SearchProblem& problem, TimedSearch search) {
  const SearchTask& task = work.tasks[i];
  const Clock clock = steady_clock();
  const double start = clock();
  const double end =
      start + (work.deadline - start) / static_cast<double>(left_of_round(work.tasks, i));
  const auto stop = [&] { return work.progress.is_asked_to_stop() || clock() >= end; };
  Session session([&](const std::string& schedule) { return search.evaluate(schedule); },
                  task.budget, [&] { return search.clock(); }, stop);
  const int batches = run_strategy(task, problem, session);
  work.say(search.text(session, !stop()));
  work.say("batches " + std::to_string(batches) + '\n');
}

void run_tasks(const Work& work) {
  ScheduleEvaluator evaluator(work.plan, {.records = work.options.records,
                                          .version = work.options.version,
                                          .samples = work.options.samples,
                                          .seed = work.options.seed});
  evaluator.on_measure = [&](const std::string& schedule) {
    work.progress.begin(0);
    work.say("begin " + schedule + '\n');
  };
  const Computation computation = merged(computation_of(work.plan.problem));
  const ScheduleSpace space(computation, work.plan.machine,
                            [&](const Schedule& schedule) { return evaluator.can_run(schedule); });
  SearchProblem problem{.computation = computation, .machine = work.plan.machine, .space = space};
  for (const Candidate& one : work.plan.candidates)
    problem.ranked.push_back(to_string(one.schedule));
  for (std::size_t i = 0; i < work.tasks.size() && !work.progress.is_asked_to_stop(); ++i)
    run_task(work, i, problem, TimedSearch(evaluator, work.progress));
  work.say("cost " + std::to_string(evaluator.mean_seconds()) + '\n');
}

/// The schedule that was begun last.
std::string last_begun(const std::string& output) {
  const std::size_t begin = output.rfind("begin ");
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + std::string("begin ").size();
  return output.substr(from, output.find('\n', from) - from);
}

/// `mean_seconds`: what each measurement that came from the records counts.
SearchStep step_of(std::istringstream& words, double mean_seconds) {
  std::string seconds;
  SearchStep step;
  int from_records = 0;
  words >> seconds >> step.after_seconds >> from_records;
  step.after_seconds += from_records * mean_seconds;
  step.seconds = seconds == "inf" ? std::numeric_limits<double>::infinity() : std::stod(seconds);
  words.get();
  std::getline(words, step.schedule);
  return step;
}

/// Seconds after the last "cost"; 0 without one.
double cost_of(const std::string& output) {
  const std::string mark = "\ncost ";
  const std::size_t place = output.rfind(mark);
  return place == std::string::npos ? 0 : std::stod(output.substr(place + mark.size()));
}

void read_courses(const std::string& output, LayerSearch& result) {
  result.seconds_per_measurement = cost_of(output);
  std::istringstream lines(output);
  std::size_t course = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "course" && course < result.courses.size()) ++course;
    if (kind == "complete") result.courses[course - 1].complete = true;
    if (kind == "batches") words >> result.courses[course - 1].batches;
    if (kind == "step")
      result.courses[course - 1].steps.push_back(step_of(words, result.seconds_per_measurement));
  }
}

/// Planning is part of the search that the model does.
void add_planning(LayerSearch& result) {
  for (SearchCourse& course : result.courses)
    if (course.task.strategy == "model")
      for (SearchStep& step : course.steps) step.after_seconds += result.planning_seconds;
}

}  // namespace

LayerSearch search_layer(const Problem& problem, const Machine& machine,
                         const std::vector<SearchTask>& tasks, const LayerSearchOptions& options) {
  const Clock clock = steady_clock();
  const double start = clock();
  const Plan ranked = plan(problem, machine, {.top = options.ranked, .seed = options.seed});
  LayerSearch result;
  result.planning_seconds = clock() - start;
  for (const SearchTask& task : tasks) result.courses.push_back({.task = task});
  for (const Candidate& one : ranked.candidates) result.ranked.push_back(to_string(one.schedule));
  for (;;) {
    const IsolateResult child = run_isolated(
        [&](Progress& progress, const Say& say) {
          run_tasks({ranked, tasks, options, start + options.budget_seconds, progress, say});
        },
        {.stall_seconds = kStallSeconds, .stop = stop_requested});
    if (child.finished()) {
      read_courses(child.output, result);
      add_planning(result);
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
