// SPDX-License-Identifier: Apache-2.0
// Our kernel and the peer read equal tensors. Their results are compared before they are timed in
// pairs.
#include "tileplan/bench.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "attached_kernel.h"
#include "compare.h"
#include "onednn.h"
#include "peer_run.h"
#include "prediction_bound.h"
#include "runner.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

/// The measurements that choose our schedule and the peers' fastest kernel may take these shares of
/// a layer's budget.
constexpr double kPlanShare = 0.3, kLayoutShare = 0.2;
/// Each kernel of the peers is timed until this many of its samples are undisturbed or kLayoutShare
/// of the budget is spent. Then the fastest one is chosen.
constexpr int kLayoutSamples = 5;

/// Returns the runs of all `peers`, without peers that refuse the problem. Throws Error when all
/// refuse it.
std::vector<PeerRun> all_runs(const Problem& problem, Tensors& tensors, const Options& options,
                              const std::vector<std::string>& peers) {
  std::vector<PeerRun> all;
  std::string reasons;
  for (const std::string& peer : peers) {
    try {
      for (PeerRun& one : peer_runs(peer, problem, tensors, options)) all.push_back(std::move(one));
    } catch (const Error& error) {
      reasons += (reasons.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  if (all.empty()) throw Error(reasons);
  return all;
}

/// Times each run of `all` and returns the fastest.
PeerRun fastest_of(std::vector<PeerRun> all, Tensors& tensors, Instruments& instruments,
                   const Options& options, double budget) {
  std::vector<Workload> workloads;
  workloads.reserve(all.size());
  for (const PeerRun& one : all) workloads.push_back(workload_of(one, options.regime, tensors));
  const RunnerResult result = measure_interleaved(
      workloads, instruments,
      {.budget_seconds = budget, .enough = kLayoutSamples, .stop = stop_requested});
  const auto seconds = [](const auto& series) {
    const auto measured = series.measurement();
    return measured ? measured->median_seconds : HUGE_VAL;
  };
  const auto best = std::ranges::min_element(result.series, {}, seconds);
  return std::move(all[static_cast<std::size_t>(best - result.series.begin())]);
}

Plan choose(const Problem& problem, const Machine& machine, Options options,
            const BenchOptions& bench) {
  options.verify = bench.verify;
  options.budget_seconds = kPlanShare * bench.budget_seconds;
  return plan(problem, machine, options);
}

BenchRow fail(BenchRow row, const std::string& why) {
  row.disturbed = "wrong result: " + why;
  row.failed = true;
  return row;
}

void take(BenchRow& row, const PairedResult& paired, const Machine& machine, int threads) {
  row.ours = paired.first;
  row.peer = paired.second;
  row.ratio = paired.ratio;
  row.disturbed = paired.disturbed;
  // The clock is probed with f32. The peak of another element type is the measured peak times a
  // constant factor.
  Machine at_clock = machine_for(machine, types_of(row.problem));
  const double multiple = peak_flops(at_clock) / peak_flops(machine);
  row.peak_flops = threads * paired.peak_flops * multiple;
  at_clock.clock.hertz *= paired.peak_flops / peak_flops(machine);
  row.roofline_seconds = roofline_seconds(computation_of(row.problem), at_clock, threads);
}

}  // namespace

void require_peer_types(const Problem& problem) {
  const TensorTypes types = types_of(problem);
  using enum ElementType;
  for (const ElementType known : {f32, bf16, f16, u8, s8})
    if (types.input == known) return;
  throw Error("bench: the tensors are " + to_string(types) +
              ", which oneDNN neither convolves nor multiplies; must be f32, bf16, f16, u8 or s8");
}

void require_comparable(const Problem& problem) {
  require_peer_types(problem);
  require_memory(computation_of(problem));
}

BenchRow bench_layer(const Problem& problem, const Machine& machine, const Options& options,
                     const BenchOptions& bench) {
  require_comparable(problem);
  std::optional<PinnedThread> pinned;
  if (options.threads == 1) pinned.emplace();
  const Clock clock = steady_clock();
  const double start = clock();
  BenchRow row{.problem = problem, .plan = choose(problem, machine, options, bench)};
  Tensors tensors(problem, options.seed);
  const AttachedKernel ours(compile(row.plan), tensors);
  if (!ours.check_all().passed()) return fail(row, "our kernel differs from the reference");
  // The frequency of a shared machine drifts, so each layer calibrates its instruments.
  Instruments instruments = make_instruments(machine.vector.isa, options.threads);
  const PeerRun peer = fastest_of(all_runs(problem, tensors, options, bench.peers), tensors,
                                  instruments, options, kLayoutShare * bench.budget_seconds);
  row.peer_kernel = peer.kernel;
  peer.run();
  Check same = compare_results(tensors.computation(), peer.plain_output().values(),
                               tensors.plain_output(ours.kernel().schedule().out).values());
  same.tolerance *= error_growth_of(ours.kernel());
  // oneDNN rounds after it has added the zero point, so ties may differ by one.
  if (options.epilogue.quantisation.output_zero_point) same.tolerance = 1;
  const bool saturates = bytes_of(types_of(problem).input) == 1 && !onednn_adds_bytes_exactly();
  if (!saturates && !same.passed())
    return fail(row, peer.kernel.library + " gives " + std::to_string(same.got) + " for output " +
                         std::to_string(same.worst_index) + ", we " +
                         std::to_string(same.expected));
  const double left = bench.budget_seconds - (clock() - start);
  take(row,
       measure_pair(workload_of(ours, options.regime), workload_of(peer, options.regime, tensors),
                    instruments,
                    {.budget_seconds = std::max(left, 1.0), .enough = 15, .stop = stop_requested}),
       machine, options.threads);
  return row;
}

BenchRow bench_row(const Problem& problem, const Machine& machine, const Options& options,
                   const BenchOptions& bench) {
  try {
    return bench_layer(problem, machine, options, bench);
  } catch (const Error& error) {
    return {.problem = problem, .disturbed = error.what(), .failed = true};
  }
}

}  // namespace tileplan
