// SPDX-License-Identifier: Apache-2.0
// Records first, then the machine.
#include "schedule_evaluator.h"

#include "merged.h"
#include "nest.h"
#include "recall.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr const char* kDisturbed = "disturbed: no sample had a quiet core";

}  // namespace

Record evaluation_key(const Plan& plan, const std::string& schedule, const std::string& version) {
  return {.problem = to_string(plan.problem),
          .schedule = schedule,
          .machine = record_machine(plan.machine),
          .regime = to_string(Regime::hot),
          .version = version,
          .taken = utc_time()};
}

ScheduleEvaluator::ScheduleEvaluator(const Plan& first, const EvaluatorOptions& options)
    : plan_(first),
      options_(options),
      tensors_(computation_of(first.problem, first.candidates.front().schedule), options.seed),
      spots_(tensors_,
             resolve(first.candidates.front().schedule, tensors_.computation(),
                     first.machine.vector.lanes),
             first.candidates.front().schedule.out, first.options),
      instruments_(make_instruments(first.machine.vector.isa)),
      records_(options.records) {
  plan_.candidates.resize(1);
  for (Record& record : records_.find({.problem = to_string(plan_.problem),
                        .machine = record_machine(plan_.machine),
                        .regime = to_string(Regime::hot),
                        .version = options.version}))
    known_[record.schedule] = {.samples = std::move(record.samples),
                               .failure = std::move(record.failure)};
}

bool ScheduleEvaluator::can_run(const Schedule& schedule) {
  const auto [place, is_new] = can_run_.try_emplace(to_string(schedule), true);
  if (!is_new) return place->second;
  plan_.candidates.front().schedule = schedule;
  try {
    compile(plan_);
  } catch (const Error&) {  // what the code generator cannot do is not a point of the space
    place->second = false;
  }
  return place->second;
}

std::optional<double> ScheduleEvaluator::seconds_of(const std::string& schedule) const {
  const auto found = spent_.find(schedule);
  return found == spent_.end() ? std::nullopt : std::optional(found->second);
}

double ScheduleEvaluator::mean_seconds() const {
  double sum = 0;
  for (const auto& [schedule, seconds] : spent_) sum += seconds;
  return spent_.empty() ? 0 : sum / static_cast<double>(spent_.size());
}

Evaluation ScheduleEvaluator::evaluate(const std::string& schedule) {
  const auto found = known_.find(schedule);
  if (found != known_.end()) return found->second;
  on_measure(schedule);
  const double start = instruments_.clock();
  Evaluation evaluation = measure(schedule);
  spent_[schedule] = instruments_.clock() - start;
  known_[schedule] = evaluation;
  if (evaluation.failure == kDisturbed) return evaluation;  // says nothing about the schedule
  Record record = evaluation_key(plan_, schedule, options_.version);
  record.samples = evaluation.samples;
  record.failure = evaluation.failure;
  records_.add({&record, 1});
  return evaluation;
}

Evaluation ScheduleEvaluator::measure(const std::string& schedule) {
  try {
    plan_.candidates.front().schedule = parse_schedule(schedule);
    const Trial trial(compile(plan_), tensors_);
    const Check check = spots_.check(trial);
    if (!check.passed())
      return {.samples = {},
              .failure = "wrong result: " + std::to_string(check.got) + " for output " +
                         std::to_string(check.worst_index) + ", expected " +
                         std::to_string(check.expected)};
    const RunnerResult result = measure_interleaved(
        {workload_of(trial, Regime::hot)}, instruments_,
        {.budget_seconds = options_.patience_seconds, .enough = options_.samples});
    const std::optional<Measurement> measured = result.series.front().measurement();
    if (measured && measured->kept > 0) return {.samples = measured->times, .failure = ""};
    return {.samples = {}, .failure = kDisturbed};
  } catch (const Error& error) {
    return {.samples = {}, .failure = error.what()};
  }
}

}  // namespace tileplan
