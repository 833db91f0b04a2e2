// SPDX-License-Identifier: Apache-2.0
// This file looks into the records first, then measures rounds with one sample of each schedule.
#include "remeasure_finalists.h"

#include "recall.h"
#include "schedule_evaluator.h"
#include "tileplan/verify.h"

namespace tileplan {

namespace {

/// Returns the samples of `schedules` from the records, or nothing unless the records contain all
/// of these schedules.
std::map<std::string, std::vector<double>> recall_samples(const Records& records, const Plan& plan,
                                                          const std::vector<std::string>& schedules,
                                                          const std::string& version) {
  std::map<std::string, std::vector<double>> all, known;
  for (const Record& record : records.find({.problem = to_string(plan.problem),
                              .machine = machine_type(plan.machine),
                              .regime = to_string(Regime::hot),
                              .version = version}))
    all[record.schedule] = record.samples;
  for (const std::string& schedule : schedules) {
    const auto found = all.find(schedule);
    if (found == all.end()) return {};
    known.insert(*found);
  }
  return known;
}

/// Measures `schedules` in turns. Each schedule is the only candidate of `plan` while it is
/// compiled.
std::vector<Series> measure_in_turns(Plan plan, const std::vector<std::string>& schedules,
                                     const LayerSearchOptions& options) {
  const PinnedThread pinned;
  Instruments instruments = make_instruments(plan.machine.vector.isa);
  Tensors tensors(computation_of(plan.problem, plan.candidates.front().schedule), options.seed);
  std::deque<AttachedKernel> kernels;  // The workloads keep references to these kernels.
  std::vector<Workload> workloads;
  for (const std::string& schedule : schedules) {
    plan.candidates.front().schedule = parse_schedule(schedule);
    workloads.push_back(workload_of(kernels.emplace_back(compile(plan), tensors), Regime::hot));
  }
  return measure_interleaved(workloads, instruments,
                             {.budget_seconds = options.budget_seconds,
                              .enough = options.samples,
                              .seed = options.seed,
                              .stop = stop_requested})
      .series;
}

}  // namespace

LayerSearchOptions remeasure_options(const StudyOptions& options, const std::string& round,
                                     double budget_seconds) {
  LayerSearchOptions own = layer_options(options, round, budget_seconds);
  own.samples = 15;
  return own;
}

std::map<std::string, std::vector<double>> remeasure_samples(
    const Problem& problem, const Machine& machine, const std::vector<std::string>& schedules,
    const LayerSearchOptions& options) {
  const Plan first = plan(problem, machine, {.top = 1, .seed = options.seed});
  Records records(options.records);
  std::map<std::string, std::vector<double>> times =
      recall_samples(records, first, schedules, options.version);
  if (!times.empty() || schedules.empty()) return times;
  const std::vector<Series> series = measure_in_turns(first, schedules, options);
  std::vector<Record> taken;
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const std::optional<Measurement> measured = series[i].measurement();
    if (!measured || measured->kept == 0) continue;
    times[schedules[i]] = measured->times;
    taken.push_back(evaluation_key(first, schedules[i], options.version));
    taken.back().samples = measured->times;
  }
  records.add(taken);
  return times;
}

std::map<std::string, double> remeasure_finalists(const Problem& problem, const Machine& machine,
                                                  const std::vector<std::string>& schedules,
                                                  const LayerSearchOptions& options) {
  std::map<std::string, double> medians;
  for (const auto& [schedule, times] : remeasure_samples(problem, machine, schedules, options))
    medians[schedule] = median(times);
  return medians;
}

}  // namespace tileplan
