// SPDX-License-Identifier: Apache-2.0
// This file looks up schedules in the records first, and measures the others on this machine.
#include "schedule_evaluator.h"

#include <sched.h>

#include <algorithm>

#include "recall.h"
#include "record_lines.h"

namespace tileplan {

namespace {

constexpr const char* kDisturbed = "disturbed: no sample had a quiet core";

}  // namespace

Record evaluation_key(const Plan& plan, const std::string& schedule, const std::string& version) {
  return {.problem = to_string(plan.problem),
          .schedule = schedule,
          .machine = machine_type(plan.machine),
          .regime = to_string(Regime::hot),
          .version = version,
          .taken = utc_time()};
}

ScheduleEvaluator::ScheduleEvaluator(const Plan& first, const EvaluatorOptions& options)
    : plan_(first),
      options_(options),
      checker_(first, options.seed),
      instruments_(make_instruments(first.machine.vector.isa)),
      records_(options.records) {
  for (Record& record : records_.find({.problem = to_string(plan_.problem),
                        .machine = machine_type(plan_.machine),
                        .regime = to_string(Regime::hot),
                        .version = options.version}))
    known_[record.schedule].push_back(  // The oldest record comes first.
        {.evaluation = {.samples = std::move(record.samples), .failure = std::move(record.failure)},
         .seconds = std::nullopt});
}

void ScheduleEvaluator::expect(const std::vector<std::string>& schedules) {
  const auto spare = std::ranges::find_if(cores_, [](int core) { return core != sched_getcpu(); });
  if (spare == cores_.end()) return;
  if (!ahead_) ahead_ = std::make_unique<AheadChecker>(plan_, options_.seed, *spare, on_check);
  std::vector<std::string> unknown = schedules;
  std::erase_if(unknown, [&](const std::string& one) { return known_.contains(one); });
  ahead_->expect(unknown);
}

CheckedSchedule ScheduleEvaluator::check(const std::string& schedule) {
  if (ahead_) {
    const std::optional<CheckedSchedule> ready = ahead_->take(schedule);
    if (ready && !ready->bound) return {.bound = {}, .failure = ready->failure};
    if (ready)
      return {.bound = AttachedKernel(ready->bound->kernel(), checker_.tensors()), .failure = ""};
  }
  return checker_.check(schedule);
}

bool ScheduleEvaluator::is_enough(const Evaluation& evaluation, double best_seconds) const {
  const auto count = static_cast<int>(evaluation.samples.size());
  return count == 0 || count >= options_.samples ||
         mean_seconds(evaluation) > options_.clearly_slower * best_seconds;
}

Answer ScheduleEvaluator::evaluate(const std::string& schedule, double best_seconds) {
  std::vector<Answer>& known = known_[schedule];
  if (known.empty()) known.push_back(measure_and_record(schedule, best_seconds));
  const Answer& first = known.front();
  if (is_enough(first.evaluation, best_seconds)) return first;
  if (known.size() == 1) known.push_back(measure_and_record(schedule, best_seconds));
  const auto samples = [](const Answer& one) { return one.evaluation.samples.size(); };
  // If both measurements have equally many samples, the second one is returned.
  return std::ranges::max(known[1], known[0], {}, samples);
}

Answer ScheduleEvaluator::measure_and_record(const std::string& schedule, double best_seconds) {
  on_measure(schedule);
  const double start = instruments_.clock();
  Evaluation evaluation = measure(schedule, best_seconds);
  const double seconds = instruments_.clock() - start;
  spent_seconds_ += seconds;
  ++measurements_;
  // A schedule whose samples were disturbed may be correct, so it is not recorded as a failure.
  if (evaluation.failure != kDisturbed) {
    Record record = evaluation_key(plan_, schedule, options_.version);
    record.samples = evaluation.samples;
    record.failure = evaluation.failure;
    records_.add({&record, 1});
  }
  return {.evaluation = std::move(evaluation), .seconds = seconds};
}

Evaluation ScheduleEvaluator::measure(const std::string& schedule, double best_seconds) {
  const CheckedSchedule checked = check(schedule);
  if (!checked.bound) return {.samples = {}, .failure = checked.failure};
  const auto next = [&](const std::vector<Series>& series) -> std::vector<std::size_t> {
    const std::vector<double> kept = series.front().kept_seconds();
    if (!kept.empty() && is_enough({.samples = kept}, best_seconds)) return {};
    return {0};
  };
  const RunnerResult result =
      measure_rounds({workload_of(*checked.bound, Regime::hot)}, instruments_,
                     {.budget_seconds = options_.patience_seconds}, next);
  const std::vector<double> kept = result.series.front().kept_seconds();
  return {.samples = kept, .failure = kept.empty() ? kDisturbed : ""};
}

}  // namespace tileplan
