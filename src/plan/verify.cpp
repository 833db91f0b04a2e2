// SPDX-License-Identifier: Apache-2.0
// verify() measures the best candidates of a plan in a child process and sorts them by their times.
// measure() measures one kernel in the calling process, and check_kernel() checks all its outputs
// there.
#include "tileplan/verify.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <memory>
#include <optional>

#include "attached_kernel.h"
#include "isolated_candidates.h"
#include "merge_dims.h"
#include "nest.h"
#include "option_rules.h"
#include "race_plan.h"
#include "rejections.h"
#include "stage_trace.h"
#include "strips.h"
#include "tileplan/error.h"
#include "units.h"

namespace tileplan {
namespace {

/// A candidate counts as an endless loop when making or running it once takes more processor time
/// of its child process than kStallSeconds plus kStallFactor times the largest predicted time of
/// the candidates. The factor is large because page faults and cache misses make the first run
/// longer than predicted.
constexpr double kStallFactor = 1000, kStallSeconds = 10;

/// Selects the outputs that are checked in all candidates: random ones and, if `nest` has loops,
/// outputs at the borders of its tiles.
struct OutputSampling {
  /// Describes the problem in elements, not in strips.
  Computation computation;
  Nest nest;
  Layout out = Layout::plain;
};

/// Chooses outputs at the borders of the tiles of the first direct schedule that is valid for the
/// problem. One sample serves all candidates, so that its expected results are computed once.
/// Invalid schedules are skipped here, because compile() will refuse them. The loops of Winograd
/// schedules are not those of the problem, so these are skipped too.
OutputSampling output_sampling(const Plan& plan) {
  const ComputationVariants variants(plan.problem);
  for (const Candidate& each : plan.candidates) {
    const Schedule& schedule = each.schedule;
    const Computation& computation = variants.of(schedule);
    try {
      // layout_of() throws Error if the layout does not exist.
      layout_of(computation, Operand::output, schedule.out);
      const VectorUnit& unit = unit_of(schedule, plan.machine);
      const Computation loops = in_strips(computation, loop_types(types_of(plan.problem), unit));
      return {computation, resolve(schedule, loops, unit.lanes), schedule.out};
    } catch (const Error&) {
      continue;
    }
  }
  return {.computation = computation_of(plan.problem), .nest = {}};
}

/// Holds operands and expected results in the child process, and makes workloads, which are
/// measured there, from candidates.
class WorkloadFactory {
 public:
  explicit WorkloadFactory(const Plan& plan) : WorkloadFactory(plan, output_sampling(plan)) {}

  /// Compiles and checks a candidate. Throws Error with the reason when the candidate cannot be
  /// measured.
  Workload make(int place) {
    const auto index = static_cast<std::size_t>(place);
    const AttachedKernel& attached = kernels_.emplace_back(compile(plan_, index), tensors_);
    const Check check = sampled_.check(attached);
    // Only a wrong result fails the whole plan; refuse_wrong_results() recognises it by
    // kWrongResult.
    if (!check.passed())
      throw Error(std::string(kWrongResult) + to_string(plan_.candidates[index].schedule) +
                  " gives " + std::to_string(check.got) + " for output " +
                  std::to_string(check.worst_index) + ", expected " +
                  std::to_string(check.expected));
    return workload_of(attached, plan_.options.regime);
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
  /// Workloads point to these kernels, so their addresses must not change.
  std::list<AttachedKernel> kernels_;
};

/// Returns the indices of those among the first options.verify candidates that have no measurement
/// yet.
std::vector<int> places_to_measure(const Plan& plan) {
  const std::size_t count =
      std::min(plan.candidates.size(), static_cast<std::size_t>(plan.options.verify));
  std::vector<int> places;
  for (std::size_t place = 0; place < count; ++place)
    if (!plan.candidates[place].measurement) places.push_back(static_cast<int>(place));
  return places;
}

/// Measures the candidates in turn; a candidate that is clearly slower is dropped.
IsolatedRaceResult measure_candidates(const Plan& plan, const std::vector<int>& places) {
  double slowest = 0;
  for (const int place : places)
    slowest =
        std::max(slowest, plan.candidates[static_cast<std::size_t>(place)].prediction.seconds);
  // The child process calls these functions, so that operands and kernels exist in the child alone.
  const auto open = [&plan] {
    const auto factory = std::make_shared<WorkloadFactory>(plan);
    return [factory](int place) { return factory->make(place); };
  };
  const auto instruments = [&plan] {
    return make_instruments(plan.machine.vector.isa, plan.options.threads);
  };
  return race_isolated_candidates(
      {.numbers = places, .open = open, .instruments = instruments},
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

/// Stores the measurements in the candidates. Failed candidates become failures of the plan. The
/// verdict combines that of an earlier verify() of the same plan with that of these measurements.
void take_results(Plan& plan, const std::vector<int>& places, const IsolatedRaceResult& measured) {
  const Comparison before{plan.verdict, measurements(plan.candidates)};
  Comparison now{measured.verdict, {}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    Candidate& candidate = plan.candidates[static_cast<std::size_t>(places[i])];
    const CandidateResult& result = measured.candidates[i];
    if (!result.failure.empty()) {
      plan.failures.push_back({.schedule = candidate.schedule, .reason = result.failure});
      reject(plan, result.failure);
    } else if (result.measurement) {
      candidate.measurement = result.measurement;
      now.measured.push_back(*result.measurement);
    }
  }
  for (std::size_t i = places.size(); i-- > 0;)
    if (!measured.candidates[i].failure.empty())
      plan.candidates.erase(plan.candidates.begin() + places[i]);
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
  return AttachedKernel(kernel, tensors).check_all();
}

Measurement measure(const Kernel& kernel, double budget_seconds, Regime regime) {
  require_budget(budget_seconds);
  check_regime(regime);
  std::optional<PinnedThread> pinned;
  if (kernel.threads() == 1) pinned.emplace();
  Tensors tensors(kernel.problem(), 1);
  const AttachedKernel attached(kernel, tensors);
  Instruments instruments = make_instruments(kernel.isa(), kernel.threads());
  return measure_alone(workload_of(attached, regime), instruments, budget_seconds);
}

Plan race_plan(Plan plan) {
  if (const auto why = host_mismatch(plan.machine))
    throw Error("verify: the plan is for " + plan.machine.name +
                ", which is not this host: " + *why);
  check_options(plan.options, plan.machine, types_of(plan.problem));
  if (plan.options.verify == 0)
    throw Error("verify: 0 candidates to measure (options.verify); must be at least 1");
  if (plan.candidates.empty())
    throw Error("verify: the plan of " + name_of(plan.problem) +
                " has no candidates; must have one");
  const std::vector<int> places = places_to_measure(plan);
  if (!places.empty()) {
    const IsolatedRaceResult measured = measure_candidates(plan, places);
    refuse_wrong_results(measured.candidates);
    take_results(plan, places, measured);
    plan.measure_seconds += measured.seconds;
  }
  return plan;
}

Plan verify(Plan plan) {
  plan = race_plan(std::move(plan));
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
