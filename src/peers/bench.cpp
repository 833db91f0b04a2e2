// SPDX-License-Identifier: Apache-2.0
// Both sides read equal tensors, and their results are compared before the measurement.
#include "tileplan/bench.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "bound_kernel.h"
#include "compare.h"
#include "onednn.h"
#include "prediction_bound.h"
#include "runner.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

/// The choice of our schedule and of the peer's layout may take these fractions of a layer's
/// budget.
constexpr double kPlanShare = 0.3, kLayoutShare = 0.2;
/// Each layout of the peer is timed this many times before the fastest is chosen.
constexpr int kLayoutSamples = 5;

/// Holds the peer in one layout, with buffers that have the values of our tensors.
struct PeerRun {
  PeerLayout layout;
  OnednnPeer peer;
  Buffer input, output;
  std::function<void()> run;

  PeerRun(const Problem& problem, const Tensors& tensors, const PeerOptions& options)
      : layout(options.layout),
        peer(problem, tensors.weights().span(), options),
        input(peer.input_size()),
        output(peer.output_size()),
        run(peer.bind(input.span(), output.span())) {
    peer.load_input(std::get<std::span<const float>>(tensors.operands().input.values),
                    input.span());
  }

  std::vector<float> result() const {
    run();
    return peer.plain_output(output.span());
  }

  /// Returns a workload in `regime`, which refers to the buffers of this object.
  Workload workload(Regime regime) const {
    return {.run = run,
            .prepare = flusher(cold_in(regime, std::as_bytes(peer.packed_weights()),
                                       {input.bytes(), output.bytes()}))};
  }
};

std::vector<PeerLayout> peer_layouts(const Problem& problem) {
  if (std::holds_alternative<GemmShape>(problem)) return {PeerLayout::any};
  if (std::holds_alternative<ConvShape>(problem))
    return {PeerLayout::any, PeerLayout::nhwc, PeerLayout::nchw};
  throw Error("bench: oneDNN has no counterpart of a user-written relation");
}

/// Times each layout of the peer and returns the peer in the fastest one.
PeerRun best_peer(const Problem& problem, const Tensors& tensors, Instruments& instruments,
                  const Options& options, double budget) {
  std::vector<PeerRun> all;
  for (const PeerLayout layout : peer_layouts(problem))
    all.emplace_back(problem, tensors, PeerOptions{.layout = layout, .threads = options.threads});
  std::vector<Workload> workloads;
  workloads.reserve(all.size());
  for (const PeerRun& one : all) workloads.push_back(one.workload(options.regime));
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
  row.peak_flops = threads * paired.peak_flops;
  Machine at_clock = machine;
  at_clock.clock.hertz *= paired.peak_flops / peak_flops(machine);
  row.roofline_seconds = roofline_seconds(computation_of(row.problem), at_clock, threads);
}

}  // namespace

std::string peer_version() { return onednn_version(); }

void require_f32(const Problem& problem) {
  const ElementType type = type_of(problem);
  if (type == ElementType::f32) return;
  throw Error("bench: the tensors are " + to_string(type) +
              ", which oneDNN neither convolves nor multiplies; must be f32");
}

void require_comparable(const Problem& problem) {
  require_f32(problem);
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
  const BoundKernel ours(compile(row.plan), tensors);
  if (!ours.check_all().passed()) return fail(row, "our kernel differs from the reference");
  // The clock of a shared machine drifts within minutes, so each layer calibrates its instruments.
  Instruments instruments = make_instruments(machine.vector.isa, options.threads);
  const PeerRun peer =
      best_peer(problem, tensors, instruments, options, kLayoutShare * bench.budget_seconds);
  row.peer_layout = to_string(peer.layout);
  row.peer_implementation = peer.peer.implementation();
  const Check same = compare_results(tensors.computation(), peer.result(),
                                     tensors.plain_output(ours.kernel().schedule().out).values());
  if (!same.passed())
    return fail(row, "oneDNN gives " + std::to_string(same.got) + " for output " +
                         std::to_string(same.worst_index) + ", we " +
                         std::to_string(same.expected));
  const double left = bench.budget_seconds - (clock() - start);
  take(row,
       measure_pair(workload_of(ours, options.regime), peer.workload(options.regime), instruments,
                    {.budget_seconds = std::max(left, 1.0), .enough = 15, .stop = stop_requested}),
       machine, options.threads);
  return row;
}

}  // namespace tileplan
