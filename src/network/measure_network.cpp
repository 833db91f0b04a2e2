// SPDX-License-Identifier: Apache-2.0
// This file times whole networks and their steps.
#include <algorithm>
#include <chrono>
#include <optional>

#include "network_tensors.h"
#include "runner.h"
#include "statistics.h"
#include "tileplan/network_run.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

using SteadyClock = std::chrono::steady_clock;

/// Runs the network once and adds the time of each step to `times`.
void time_steps(const CompiledNetwork& network, const NetworkTensors& tensors, Workspace& workspace,
                std::vector<std::vector<double>>& times) {
  SteadyClock::time_point before = SteadyClock::now();
  for (std::size_t s = 0; s < times.size(); ++s) {
    network.run_steps(s, s + 1, tensors.input_views, tensors.output_views, workspace);
    const SteadyClock::time_point after = SteadyClock::now();
    times[s].push_back(std::chrono::duration<double>(after - before).count());
    before = after;
  }
}

/// Pins the calling thread to its core, as long as `pinned` exists, if the network runs on one
/// thread.
void pin(const CompiledNetwork& network, std::optional<PinnedThread>& pinned) {
  if (network.plan().layers.front().plan.options.threads == 1) pinned.emplace();
}

}  // namespace

Measurement measure(const CompiledNetwork& network, double budget_seconds) {
  require_budget(budget_seconds);
  const int threads = network.plan().layers.front().plan.options.threads;
  std::optional<PinnedThread> pinned;
  pin(network, pinned);
  const NetworkTensors tensors(*network.plan().rewritten, 1);
  Workspace workspace = network.make_workspace();
  Instruments instruments = make_instruments(network.plan().machine.vector.isa, threads);
  const Workload workload{
      .run = [&] { network.run(tensors.input_views, tensors.output_views, workspace); }};
  return measure_alone(workload, instruments, budget_seconds);
}

NetworkTimes measure_steps(const CompiledNetwork& network, double budget_seconds) {
  constexpr int kLeastRuns = 5, kMostRuns = 1000;
  NetworkTimes times{.whole = measure(network, budget_seconds)};
  std::optional<PinnedThread> pinned;
  pin(network, pinned);
  const NetworkPlan& plan = network.plan();
  const NetworkTensors tensors(*plan.rewritten, 1);
  Workspace workspace = network.make_workspace();
  std::vector<std::vector<double>> samples(plan.steps.size());
  const SteadyClock::time_point end =
      SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(
                               std::chrono::duration<double>(budget_seconds));
  network.run(tensors.input_views, tensors.output_views, workspace);
  const auto has_time = [&] { return SteadyClock::now() < end && !stop_requested(); };
  for (int run = 0; run < kMostRuns && (run < kLeastRuns || has_time()); ++run)
    time_steps(network, tensors, workspace, samples);
  for (std::size_t s = 0; s < samples.size(); ++s)
    times.step_seconds.push_back(plan.steps[s].in_place ? 0 : median(samples[s]));
  return times;
}

}  // namespace tileplan
