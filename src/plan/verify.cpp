// SPDX-License-Identifier: Apache-2.0
// This file measures the best candidates in a child process and sorts them by the result.
#include "tileplan/verify.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <memory>
#include <optional>

#include "bound_kernel.h"
#include "isolated_candidates.h"
#include "merge_dims.h"
#include "nest.h"
#include "option_rules.h"
#include "rejections.h"
#include "stage_trace.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan {
namespace {

/// A candidate counts as an endless loop after this multiple of its predicted time plus this many
/// seconds, because the first run includes page faults and cache misses.
constexpr double kStallFactor = 1000, kStallSeconds = 10;

/// Determines which outputs are checked. Without a nest, corners, borders and random points are.
struct OutputSampling {
  Computation computation;
  Nest nest;
  Layout out = Layout::plain;
};

/// Chooses outputs by the tiles of the first schedule that covers the problem. Other schedules fail
/// when they are compiled.
OutputSampling output_sampling(const Plan& plan) {
  const ComputationVariants readings(plan.problem);
  for (const Candidate& each : plan.candidates) {
    const Schedule& schedule = each.schedule;
    const Computation& computation = readings.of(schedule);
    try {
      layout_of(computation, Operand::output, schedule.out);
      const int lanes = unit_of(schedule, plan.machine).lanes;
      return {computation, resolve(schedule, computation, lanes), schedule.out};
    } catch (const Error&) {
      continue;
    }
  }
  return {.computation = computation_of(plan.problem), .nest = {}};
}

/// Holds operands and exact results in the child process, and makes workloads of candidates.
class WorkloadFactory {
 public:
  explicit WorkloadFactory(const Plan& plan) : WorkloadFactory(plan, output_sampling(plan)) {}

  /// Compiles and checks a candidate. Throws Error with the reason when it cannot be measured.
  Workload make(int rank) {
    const auto place = static_cast<std::size_t>(rank);
    const BoundKernel& bound = kernels_.emplace_back(compile(plan_, place), tensors_);
    const Check check = sampled_.check(bound);
    if (!check.passed())
      throw Error(std::string(kWrongResult) + to_string(plan_.candidates[place].schedule) +
                  " gives " + std::to_string(check.got) + " for output " +
                  std::to_string(check.worst_index) + ", expected " +
                  std::to_string(check.expected));
    return workload_of(bound, plan_.options.regime);
  }

 private:
  WorkloadFactory(const Plan& plan, const OutputSampling& sampling)
      : plan_(plan),
        tensors_(sampling.computation, plan.options.seed),
        sampled_(tensors_, sampling.nest, sampling.out, plan.options) {
    if (plan.options.threads == 1) pinned_.emplace();
  }

  const Plan& plan_;
  std::optional<PinnedThread> pinned_;
  Tensors tensors_;
  SampledCheck sampled_;
  std::list<BoundKernel> kernels_;  ///< Workloads point to these kernels.
};

std::vector<int> ranks_to_measure(const Plan& plan) {
  const std::size_t count =
      std::min(plan.candidates.size(), static_cast<std::size_t>(plan.options.verify));
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < count; ++rank)
    if (!plan.candidates[rank].measurement) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

IsolatedRaceResult measure_candidates(const Plan& plan, const std::vector<int>& ranks) {
  double slowest = 0;
  for (const int rank : ranks)
    slowest = std::max(slowest, plan.candidates[static_cast<std::size_t>(rank)].prediction.seconds);
  return race_isolated_candidates(
      {.numbers = ranks,
       .open =
           [&plan] {
             const auto factory = std::make_shared<WorkloadFactory>(plan);
             return [factory](int rank) { return factory->make(rank); };
           },
       .instruments =
           [&plan] { return make_instruments(plan.machine.vector.isa, plan.options.threads); }},
      {.runner = {.budget_seconds = plan.options.budget_seconds, .seed = plan.options.seed},
       .isolate = {.stall_seconds = kStallSeconds + kStallFactor * slowest,
                   .stop = stop_requested}});
}

std::vector<Measurement> measurements(const std::vector<Candidate>& candidates) {
  std::vector<Measurement> all;
  for (const Candidate& each : candidates)
    if (each.measurement) all.push_back(*each.measurement);
  return all;
}

/// Stores the measurements in the candidates. Failed candidates become failures of the plan.
void take_results(Plan& plan, const std::vector<int>& ranks, const IsolatedRaceResult& measured) {
  const Comparison before{plan.verdict, measurements(plan.candidates)};
  Comparison now{measured.verdict, {}};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Candidate& candidate = plan.candidates[static_cast<std::size_t>(ranks[i])];
    const CandidateResult& result = measured.candidates[i];
    candidate.measurement = result.measurement;
    if (result.measurement && result.failure.empty()) now.measured.push_back(*result.measurement);
    if (result.failure.empty()) continue;
    plan.failures.push_back({.schedule = candidate.schedule, .reason = result.failure});
    reject(plan, result.failure);
  }
  for (std::size_t i = ranks.size(); i-- > 0;)
    if (!measured.candidates[i].failure.empty())
      plan.candidates.erase(plan.candidates.begin() + ranks[i]);
  plan.verdict = joint_verdict(before, now);
  plan.waiting_seconds += measured.waiting_seconds;
}

void sort_by_measurement(std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(candidates, {}, [](const Candidate& each) {
    return each.measurement ? each.measurement->median_seconds : HUGE_VAL;
  });
}

}  // namespace

Check check_kernel(const Kernel& kernel, std::uint64_t seed) {
  Tensors tensors(kernel.problem(), seed);
  return BoundKernel(kernel, tensors).check_all();
}

Measurement measure(const Kernel& kernel, double budget_seconds, Regime regime) {
  if (!(budget_seconds > 0 && std::isfinite(budget_seconds)))
    throw Error("budget: " + std::to_string(budget_seconds) +
                " seconds; must be positive and finite");
  check_regime(regime);
  std::optional<PinnedThread> pinned;
  if (kernel.threads() == 1) pinned.emplace();
  Tensors tensors(kernel.problem(), 1);
  const BoundKernel bound(kernel, tensors);
  Instruments instruments = make_instruments(kernel.isa(), kernel.threads());
  const RunnerResult result =
      measure_interleaved({workload_of(bound, regime)}, instruments,
                          {.budget_seconds = budget_seconds, .stop = stop_requested});
  const std::optional<Measurement> measured = result.series.front().measurement();
  if (!measured && stop_requested()) throw Error("measure: asked to stop before the first sample");
  if (!measured)
    throw Error("budget: " + std::to_string(budget_seconds) + " seconds; too short for one sample");
  return *measured;
}

Plan verify(Plan plan) {
  if (const auto why = host_mismatch(plan.machine))
    throw Error("verify: the plan is for " + plan.machine.name +
                ", which is not this host: " + *why);
  check_options(plan.options, plan.machine, type_of(plan.problem));
  if (plan.options.verify == 0)
    throw Error("verify: 0 candidates to measure (options.verify); must be at least 1");
  if (plan.candidates.empty())
    throw Error("verify: the plan of " + name_of(plan.problem) +
                " has no candidates; must have one");
  const std::vector<int> ranks = ranks_to_measure(plan);
  if (!ranks.empty()) {
    const IsolatedRaceResult measured = measure_candidates(plan, ranks);
    refuse_wrong_results(measured.candidates);
    take_results(plan, ranks, measured);
    plan.measure_seconds += measured.seconds;
  }
  if (!plan.failures.empty() && measurements(plan.candidates).empty())
    throw Error("verify: no candidate of " + name_of(plan.problem) +
                " could be measured; the first failed: " + plan.failures.front().reason);
  sort_by_measurement(plan.candidates);
  const std::vector<Measurement> measured = measurements(plan.candidates);
  trace_stage("verify", {{"measured", static_cast<double>(measured.size())},
                         {"failed", static_cast<double>(plan.failures.size())},
                         {"best_seconds", measured.empty() ? 0 : measured.front().median_seconds}});
  return plan;
}

}  // namespace tileplan
