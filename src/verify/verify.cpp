// SPDX-License-Identifier: Apache-2.0
// The best candidates compiled, checked, measured interleaved, and sorted by what was measured.
#include "tileplan/verify.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "nest.h"
#include "runner.h"
#include "tileplan/error.h"
#include "trial.h"

namespace tileplan {

namespace {

/// Adds one to the count of `reason`.
void reject(Plan& plan, const std::string& reason) {
  for (Rejected& one : plan.rejected)
    if (one.reason == reason) {
      ++one.count;
      return;
    }
  plan.rejected.push_back({.reason = reason, .count = 1});
  std::sort(plan.rejected.begin(), plan.rejected.end(),
            [](const Rejected& a, const Rejected& b) { return a.reason < b.reason; });
}

/// A candidate that was compiled and computes what it should.
struct Checked {
  std::size_t rank = 0;
  std::unique_ptr<Trial> trial;
};

/// Why candidate `rank` cannot be measured; nothing when it was compiled into `trial` and computes
/// what it should.
std::optional<std::string> check_candidate(const Plan& plan, std::size_t rank, Tensors& tensors,
                                           SpotCheck& spots, std::unique_ptr<Trial>& trial) {
  try {
    trial = std::make_unique<Trial>(compile(plan, rank), tensors);
  } catch (const Error& error) {
    return error.what();
  }
  const Check check = spots.check(*trial);
  if (check.passed()) return std::nullopt;
  return "wrong result: " + to_string(plan.candidates[rank].schedule) + " gives " +
         std::to_string(check.got) + " for output " + std::to_string(check.worst_index) +
         ", expected " + std::to_string(check.expected);
}

/// The first candidates, in order, until `time_is_up`; at least one. Those that fail leave the plan
/// as rejections.
std::vector<Checked> checked_candidates(Plan& plan, Tensors& tensors,
                                        const std::function<bool()>& time_is_up) {
  const std::size_t count =
      std::min(plan.candidates.size(), static_cast<std::size_t>(plan.options.verify));
  const Schedule& first = plan.candidates.front().schedule;
  SpotCheck spots(tensors, resolve(first, tensors.computation(), plan.machine.vector.lanes),
                  first.out, plan.options);
  std::vector<Checked> checked;
  std::vector<Candidate> kept;
  for (std::size_t rank = 0; rank < plan.candidates.size(); ++rank) {
    const bool due = rank < count && (checked.empty() || !time_is_up());
    std::unique_ptr<Trial> trial;
    const auto why = due ? check_candidate(plan, rank, tensors, spots, trial) : std::nullopt;
    if (why) {
      reject(plan, *why);
      continue;
    }
    if (trial) checked.push_back({.rank = kept.size(), .trial = std::move(trial)});
    kept.push_back(plan.candidates[rank]);
  }
  plan.candidates = std::move(kept);
  return checked;
}

void sort_by_measurement(std::vector<Candidate>& candidates) {
  std::stable_sort(
      candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        if (a.measurement.has_value() != b.measurement.has_value())
          return a.measurement.has_value();
        return a.measurement && a.measurement->median_seconds < b.measurement->median_seconds;
      });
}

}  // namespace

Check check_kernel(const Kernel& kernel, std::uint64_t seed) {
  Tensors tensors(kernel.problem(), seed);
  return Trial(kernel, tensors).check_all();
}

Measurement measure(const Kernel& kernel, double budget_seconds) {
  const PinnedThread pinned;
  Tensors tensors(kernel.problem(), 1);
  const Trial trial(kernel, tensors);
  Instruments instruments = make_instruments(kernel.isa());
  const RunnerResult result =
      measure_interleaved({Workload{.run = [&] { trial.run(); }, .leave = nullptr}}, instruments,
                          {.budget_seconds = budget_seconds});
  const std::optional<Measurement> measured = result.series.front().measurement();
  if (!measured)
    throw Error("budget: " + std::to_string(budget_seconds) + " seconds; too short for one sample");
  return *measured;
}

Plan verify(Plan plan) {
  if (const auto why = host_mismatch(plan.machine))
    throw Error("verify: the plan is for " + plan.machine.name +
                ", which is not this host: " + *why);
  const Clock clock = steady_clock();
  const double start = clock();
  const PinnedThread pinned;
  Tensors tensors(plan.problem, plan.options.seed);
  const std::vector<Checked> checked = checked_candidates(
      plan, tensors, [&] { return clock() - start > plan.options.budget_seconds / 2; });
  std::vector<Workload> workloads;
  workloads.reserve(checked.size());
  for (const Checked& one : checked)
    workloads.push_back({.run = [trial = one.trial.get()] { trial->run(); }, .leave = nullptr});
  if (!workloads.empty()) {
    Instruments instruments = make_instruments(plan.machine.vector.isa);
    const double left = plan.options.budget_seconds - (clock() - start);
    const RunnerResult result = measure_interleaved(
        workloads, instruments, {.budget_seconds = std::max(left, 0.0), .seed = plan.options.seed});
    for (std::size_t i = 0; i < checked.size(); ++i)
      plan.candidates[checked[i].rank].measurement = result.series[i].measurement();
  }
  sort_by_measurement(plan.candidates);
  if (plan.candidates.empty())
    throw Error("verify: every candidate of " + name_of(plan.problem) + " failed its check");
  plan.measure_seconds = clock() - start;
  return plan;
}

}  // namespace tileplan
