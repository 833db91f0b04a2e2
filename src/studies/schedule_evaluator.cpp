// SPDX-License-Identifier: Apache-2.0
// This file looks up schedules in the records first, and measures the others on this machine.
#include "schedule_evaluator.h"

#include <algorithm>

#include "compile.h"
#include "recall.h"
#include "record_lines.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan {

namespace {

constexpr const char* kDisturbed = "disturbed: no sample had a quiet core";

}  // namespace

std::string failure_text(const Check& check) {
  if (check.passed()) return "";
  return "wrong result: " + std::to_string(check.got) + " for output " +
         std::to_string(check.worst_index) + ", expected " + std::to_string(check.expected);
}

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
      readings_(first.problem),
      tensors_(readings_.of(first.candidates.front().schedule), options.seed),
      spots_(tensors_,
             resolve(first.candidates.front().schedule, tensors_.computation(),
                     unit_of(first.candidates.front().schedule, first.machine).lanes),
             first.candidates.front().schedule.out, first.options),
      instruments_(make_instruments(first.machine.vector.isa)),
      records_(options.records) {
  plan_.candidates.resize(1);
  for (Record& record : records_.find({.problem = to_string(plan_.problem),
                        .machine = machine_type(plan_.machine),
                        .regime = to_string(Regime::hot),
                        .version = options.version}))
    known_[record.schedule].push_back(  // The oldest record comes first.
        {.evaluation = {.samples = std::move(record.samples), .failure = std::move(record.failure)},
         .seconds = std::nullopt});
}

bool ScheduleEvaluator::can_run(const Schedule& schedule) {
  const auto [place, is_new] = can_run_.try_emplace(to_string(schedule), true);
  if (!is_new) return place->second;
  plan_.candidates.front().schedule = schedule;
  try {
    compile_read(plan_, readings_.of(schedule));
  } catch (const Error&) {  // The space excludes schedules that compile() refuses.
    place->second = false;
  }
  return place->second;
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
  if (evaluation.failure != kDisturbed) {  // A disturbed schedule has not failed.
    Record record = evaluation_key(plan_, schedule, options_.version);
    record.samples = evaluation.samples;
    record.failure = evaluation.failure;
    records_.add({&record, 1});
  }
  return {.evaluation = std::move(evaluation), .seconds = seconds};
}

Evaluation ScheduleEvaluator::measure(const std::string& schedule, double best_seconds) {
  try {
    const Schedule& parsed = plan_.candidates.front().schedule = parse_schedule(schedule);
    const BoundKernel bound(compile_read(plan_, readings_.of(parsed)), tensors_);
    const Check check = spots_.check(bound);
    if (!check.passed()) return {.samples = {}, .failure = failure_text(check)};
    const auto next = [&](const std::vector<Series>& series) -> std::vector<std::size_t> {
      const std::vector<double> kept = series.front().kept_seconds();
      if (!kept.empty() && is_enough({.samples = kept}, best_seconds)) return {};
      return {0};
    };
    const RunnerResult result = measure_rounds({workload_of(bound, Regime::hot)}, instruments_,
                                               {.budget_seconds = options_.patience_seconds}, next);
    const std::vector<double> kept = result.series.front().kept_seconds();
    return {.samples = kept, .failure = kept.empty() ? kDisturbed : ""};
  } catch (const Error& error) {
    return {.samples = {}, .failure = error.what()};
  }
}

}  // namespace tileplan
