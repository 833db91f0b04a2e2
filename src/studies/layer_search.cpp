// SPDX-License-Identifier: Apache-2.0
// The child process runs the searches. It sends a line for each schedule that it begins to measure
// or to check in advance, and at the end all searches as one line of JSON.
#include "layer_search.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "droplet.h"
#include "isolate.h"
#include "mapped.h"
#include "schedule_evaluator.h"
#include "strategy.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

/// A schedule that takes this much processor time is assumed to loop for ever.
constexpr double kStallSeconds = 60;

std::string schedule_text(const Candidate& candidate) { return to_string(candidate.schedule); }

/// Evaluates the schedules of one search, and counts the time that the search would take if it
/// repeated the known measurements.
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

  void expect(const std::vector<std::string>& schedules) { evaluator_.expect(schedules); }

  /// Returns the time of the clock plus the time that earlier searches of this process spent on
  /// measurements which this search reused.
  double clock() const { return clock_() + credit_; }

  /// Returns the steps of a search. Each step holds the schedule, its mean, the time, and the
  /// number of measurements so far that came from the records.
  nlohmann::json steps(const SearchSession& session) const {
    nlohmann::json steps = nlohmann::json::array();
    for (std::size_t i = 0; i < session.history().size(); ++i) {
      const Measured& one = session.history()[i];
      steps.push_back({one.candidate, one.mean(), one.after_seconds, counts_[i]});
    }
    return steps;
  }

 private:
  ScheduleEvaluator& evaluator_;
  Progress& progress_;
  Clock clock_ = steady_clock();
  double credit_ = 0;
  double best_seconds_ = kInfinite;
  int from_records_ = 0;
  std::vector<int> counts_;  ///< Holds the value of from_records_ after each step.
};

struct Work {
  const Plan& plan;  ///< The model ranked the candidates of this plan.
  const std::vector<SearchTask>& tasks;
  const LayerSearchOptions& options;
  double deadline;  ///< All tasks end at this time of the steady clock.
  Progress& progress;
  const SendText& say;
  nlohmann::json courses = nlohmann::json::array();
};

/// Runs the strategy of `task`. Returns the number of batches if the task has droplet settings, and
/// otherwise 0.
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

/// Runs task `i` until `end` and appends its steps. Returns false if the task was cut short.
bool run_task(Work& work, std::size_t i, double end, const SearchProblem& problem,
              TimedSearch search) {
  const SearchTask& task = work.tasks[i];
  const Clock clock = steady_clock();
  bool complete = true;
  // A session that has no measurements left does not call this function, so its search counts as
  // complete.
  const auto stop = [&] {
    if (work.progress.is_asked_to_stop() || clock() >= end) complete = false;
    return !complete;
  };
  SearchSession session([&](const std::string& schedule) { return search.evaluate(schedule); },
                        task.budget, [&] { return search.clock(); }, stop);
  if (task.droplet && task.droplet->ahead)
    session.on_expect = [&](const std::vector<std::string>& next) { search.expect(next); };
  const int batches = run_strategy(task, problem, session);
  work.courses.push_back({{"task", i},
                          {"batches", batches},
                          {"complete", complete},
                          {"steps", search.steps(session)}});
  return complete;
}

std::deque<std::size_t> tasks_of_round(const std::vector<SearchTask>& tasks, int round) {
  std::deque<std::size_t> own;
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (tasks[i].round == round) own.push_back(i);
  return own;
}

/// Runs all tasks, and returns the document that read_courses() reads.
nlohmann::json run_tasks(Work work) {
  ScheduleEvaluator evaluator(work.plan, {.records = work.options.records,
                                          .version = work.options.version,
                                          .samples = work.options.samples,
                                          .clearly_slower = work.options.clearly_slower,
                                          .seed = work.options.seed});
  evaluator.on_measure = [&](const std::string& schedule) {
    work.progress.begin(0);
    work.say("begin " + schedule + '\n');
  };
  evaluator.on_check = [&](const std::string& schedule) { work.say("begin " + schedule + '\n'); };
  const Computation computation = merge_adjacent_dims(computation_of(work.plan.problem));
  const ScheduleSpace space(computation, work.plan.machine,
                            [&](const Schedule& schedule) { return evaluator.can_run(schedule); });
  const SearchProblem problem{.computation = computation,
                              .machine = work.plan.machine,
                              .space = space,
                              .ranked = mapped(work.plan.candidates, schedule_text)};
  std::set<int> rounds;
  for (const SearchTask& task : work.tasks) rounds.insert(task.round);
  for (const int round : rounds)
    deal_time(
        tasks_of_round(work.tasks, round), work.deadline, steady_clock(),
        [&] { return work.progress.is_asked_to_stop(); },
        [&](std::size_t i, double end) {
          return run_task(work, i, end, problem, TimedSearch(evaluator, work.progress));
        });
  return {{"seconds_per_measurement", evaluator.seconds_per_measurement()},
          {"courses", std::move(work.courses)}};
}

std::string last_begun(const std::string& output) {
  const std::size_t begin = output.rfind("begin ");
  if (begin == std::string::npos) return "";
  const std::size_t from = begin + std::string("begin ").size();
  return output.substr(from, output.find('\n', from) - from);
}

/// Reads the last line that the child wrote. If a search was repeated, the complete run is kept or,
/// if no run is complete, the longest one.
void read_courses(const std::string& output, LayerSearch& result) {
  const nlohmann::json said = nlohmann::json::parse(output.substr(output.rfind('\n') + 1));
  result.seconds_per_measurement = said["seconds_per_measurement"];
  for (const nlohmann::json& one : said["courses"]) {
    SearchCourse& kept = result.courses[one["task"].get<std::size_t>()];
    SearchCourse course{.task = kept.task, .batches = one["batches"], .complete = one["complete"]};
    // The model's search includes the time of planning.
    const double planning = kept.task.strategy == "model" ? result.planning_seconds : 0;
    for (const nlohmann::json& step : one["steps"])
      course.steps.push_back(
          {.schedule = step[0],
           .seconds =
               // The number is null for infinity, which JSON does not have.
           step[1].is_null() ? kInfinite : step[1].get<double>(),
           .after_seconds = step[2].get<double>() +
                            step[3].get<double>() * result.seconds_per_measurement + planning});
    if (course.complete || course.steps.size() >= kept.steps.size()) kept = std::move(course);
  }
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
  result.ranked = mapped(ranked.candidates, schedule_text);
  for (;;) {
    const IsolateResult child = run_isolated(
        [&](Progress& progress, const SendText& say) {
          // The thread that checks schedules ahead has ended when run_tasks() returns, so that its
          // lines come before the document.
          say(run_tasks({ranked, tasks, options, start + options.budget_seconds, progress, say})
                  .dump());
        },
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
  double best = kInfinite;
  for (const SearchStep& step : course.steps) best = std::min(best, step.seconds);
  return best;
}

}  // namespace tileplan
