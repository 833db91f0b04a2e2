// SPDX-License-Identifier: Apache-2.0
// The child runs the searches, and tells of them in lines that the parent reads.
#include "layer_search.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <set>
#include <sstream>

#include "droplet.h"
#include "isolate.h"
#include "merge_dims.h"
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

/// Times a search, measured here or known from the records, as if it had run alone.
class TimedSearch {
 public:
  TimedSearch(ScheduleEvaluator& evaluator, Progress& progress)
      : evaluator_(evaluator), progress_(progress) {}

  Evaluation evaluate(const std::string& schedule) {
    const double start = clock_();
    Answer answer = evaluator_.evaluate(schedule, best_seconds_);
    progress_.begin(-1);
    if (answer.seconds)
      credit_ += std::max(0.0, *answer.seconds - (clock_() - start));
    else
      ++from_records_;
    counts_.push_back(from_records_);
    best_seconds_ = std::min(best_seconds_, mean_seconds(answer.evaluation));
    return std::move(answer.evaluation);
  }

  /// Returns what the clock would show if nothing had been known.
  double clock() const { return clock_() + credit_; }

  /// Returns "course TASK", then "step MEAN AFTER FROM-RECORDS SCHEDULE" lines and "complete".
  std::string text(std::size_t task, const SearchSession& session, bool complete) const {
    std::ostringstream text;
    text.precision(17);
    text << "course " << task << '\n';
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
  double best_seconds_ = std::numeric_limits<double>::infinity();  ///< of this search
  int from_records_ = 0;
  std::vector<int> counts_;  ///< of each step, known from the records until then
};

struct Work {
  const Plan& plan;  ///< the schedules that the model ranks
  const std::vector<SearchTask>& tasks;
  const LayerSearchOptions& options;
  double deadline;  ///< of all tasks, on the steady clock
  Progress& progress;
  const Say& say;
};

/// Returns the batches of a task with droplet settings, 0 for others.
int run_strategy(const SearchTask& task, const SearchProblem& problem, SearchSession& session) {
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

/// Runs task `i` until `end`, on the steady clock, and says how it went; false when it was cut.
bool run_task(const Work& work, std::size_t i, double end, const SearchProblem& problem,
              TimedSearch search) {
  const SearchTask& task = work.tasks[i];
  const Clock clock = steady_clock();
  bool complete = true;
  const auto stop = [&] {  // asked only while the search has measurements left
    if (work.progress.is_asked_to_stop() || clock() >= end) complete = false;
    return !complete;
  };
  SearchSession session([&](const std::string& schedule) { return search.evaluate(schedule); },
                        task.budget, [&] { return search.clock(); }, stop);
  const int batches = run_strategy(task, problem, session);
  work.say(search.text(i, session, complete));
  work.say("batches " + std::to_string(batches) + '\n');
  return complete;
}

std::deque<std::size_t> tasks_of_round(const std::vector<SearchTask>& tasks, int round) {
  std::deque<std::size_t> own;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].round == round) own.push_back(i);
  return own;
}

void run_tasks(const Work& work) {
  ScheduleEvaluator evaluator(work.plan, {.records = work.options.records,
                                          .version = work.options.version,
                                          .samples = work.options.samples,
                                          .clearly_slower = work.options.clearly_slower,
                                          .seed = work.options.seed});
  evaluator.on_measure = [&](const std::string& schedule) {
    work.progress.begin(0);
    work.say("begin " + schedule + '\n');
  };
  const Computation computation = merge_adjacent_dims(computation_of(work.plan.problem));
  const ScheduleSpace space(computation, work.plan.machine,
                            [&](const Schedule& schedule) { return evaluator.can_run(schedule); });
  SearchProblem problem{.computation = computation, .machine = work.plan.machine, .space = space};
  for (const Candidate& one : work.plan.candidates)
    problem.ranked.push_back(to_string(one.schedule));
  std::set<int> rounds;
  for (const SearchTask& task : work.tasks) rounds.insert(task.round);
  for (const int round : rounds)
    deal_time(
        tasks_of_round(work.tasks, round), work.deadline, steady_clock(),
        [&] { return work.progress.is_asked_to_stop(); },
        [&](std::size_t i, double end) {
          return run_task(work, i, end, problem, TimedSearch(evaluator, work.progress));
        });
  work.say("cost " + std::to_string(evaluator.seconds_per_measurement()) + '\n');
}

std::string last_begun(const std::string& output) {
  const std::size_t begin = output.rfind("begin ");
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + std::string("begin ").size();
  return output.substr(from, output.find('\n', from) - from);
}

/// Reads a step. Each measurement that came from the records counts `mean_seconds`.
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

double cost_of(const std::string& output) {
  const std::string mark = "\ncost ";
  const std::size_t place = output.rfind(mark);
  return place == std::string::npos ? 0 : std::stod(output.substr(place + mark.size()));
}

/// Reads all courses; of a search that was cut and run again the longer one counts.
void read_courses(const std::string& output, LayerSearch& result) {
  result.seconds_per_measurement = cost_of(output);
  std::istringstream lines(output);
  std::size_t task = 0;
  SearchCourse course;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "course") {
      words >> task;
      course = {.task = result.courses[task].task};
    }
    if (kind == "complete") course.complete = true;
    if (kind == "step") course.steps.push_back(step_of(words, result.seconds_per_measurement));
    if (kind == "batches") {
      words >> course.batches;
      if (course.complete || course.steps.size() >= result.courses[task].steps.size())
        result.courses[task] = course;
    }
  }
}

/// Adds the time of planning, which is part of the model's search.
void add_planning(LayerSearch& result) {
  for (SearchCourse& course : result.courses)
    if (course.task.strategy == "model")
      for (SearchStep& step : course.steps) step.after_seconds += result.planning_seconds;
}

}  // namespace

void deal_time(std::deque<std::size_t> tasks, double deadline, const Clock& clock,
               const std::function<bool()>& stop,
               const std::function<bool(std::size_t task, double end)>& run) {
  do {
    std::deque<std::size_t> cut;
    for (; !tasks.empty() && !stop(); tasks.pop_front()) {
      const double now = clock();
      const double part = (deadline - now) / static_cast<double>(tasks.size());
      if (!run(tasks.front(), now + part)) cut.push_back(tasks.front());
    }
    tasks = std::move(cut);
  } while (!tasks.empty() && !stop() && clock() < deadline);
}

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
