// SPDX-License-Identifier: Apache-2.0
// Both sides read equal tensors. Their results are compared before their times are measured.
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

/// Choosing our schedule and the peer's layout may take these shares of a layer's budget.
constexpr double kPlanShare = 0.3, kLayoutShare = 0.2;
/// Each layout of the peer is timed this many times before the fastest layout is chosen.
constexpr int kLayoutSamples = 5;

/// Holds the peer in one layout, with buffers that hold the values of our tensors.
struct PeerRun {
  PeerLayout layout;
  bool winograd;
  PeerWeights weights;
  OnednnPeer peer;
  Buffer input, output;
  std::function<void()> run;

  PeerRun(const Problem& problem, const Tensors& tensors, const PeerOptions& options)
      : layout(options.layout),
        winograd(options.winograd),
        weights(options.weights),
        peer(problem, tensors.weights().elements(), options),
        input(peer.input_size(), types_of(problem).input),
        output(peer.output_size(), types_of(problem).output),
        run(peer.bind(input.elements(), output.elements())) {
    peer.load_input(tensors.plain_input().elements(), input.elements());
  }

  Buffer result() const {
    run();
    return peer.plain_output(output.elements());
  }

  /// Returns a workload in `regime`, which refers to the buffers of this object and to `tensors`.
  Workload workload(Regime regime, Tensors& tensors) const {
    return {.run = run,
            .prepare = preparation(
                regime, cold_in(regime, peer.read_weights(), {input.bytes(), output.bytes()}),
                tensors.others(regime.bytes))};
  }
};

std::vector<PeerLayout> peer_layouts(const Problem& problem) {
  if (std::holds_alternative<GemmShape>(problem)) return {PeerLayout::any};
  if (std::holds_alternative<ConvShape>(problem))
    return {PeerLayout::any, PeerLayout::nhwc, PeerLayout::nchw};
  throw Error("bench: oneDNN has no counterpart of a user-written relation");
}

/// Returns the forms in which the peer may take weights, so that it does the work that kernels of
/// `options` do.
std::vector<PeerWeights> peer_weights(const Options& options) {
  if (options.weights == WeightsChoice::packed) return {PeerWeights::packed};
  return {PeerWeights::plain, PeerWeights::reordered};
}

/// Returns the peer in each layout and form of the weights, and with Winograd's algorithm where
/// `options` allow it and the peer has it for this problem.
std::vector<PeerRun> all_peers(const Problem& problem, Tensors& tensors, const Options& options) {
  std::vector<PeerRun> all;
  const QuantisedNumbers& numbers = tensors.numbers(options.epilogue.quantisation);
  PeerEpilogue epilogue{.epilogue = options.epilogue,
                        .addends = {.requantisation = numbers.requantisation(),
                                    .input_zero_point = numbers.input_zero_point}};
  if (options.epilogue.bias) epilogue.addends.bias = tensors.bias().elements();
  const std::vector<PeerLayout> layouts = peer_layouts(problem);
  const auto forms = peer_weights(options);
  all.reserve((forms.size() + 1) * layouts.size());
  for (const PeerWeights weights : forms)
    for (const PeerLayout layout : layouts)
      all.emplace_back(problem, tensors,
                       PeerOptions{.epilogue = epilogue,
                                   .layout = layout,
                                   .weights = weights,
                                   .threads = options.threads});
  if (options.algorithm == Algorithm::direct || !std::holds_alternative<ConvShape>(problem))
    return all;
  for (const PeerLayout layout : layouts) {
    try {
      all.emplace_back(problem, tensors,
                       PeerOptions{.epilogue = epilogue,
                                   .winograd = true,
                                   .layout = layout,
                                   .threads = options.threads});
    } catch (const Error&) {  // The peer has no such kernel, so its direct kernels compete alone.
    }
  }
  return all;
}

/// Times each layout and algorithm of the peer and returns the fastest.
PeerRun best_peer(const Problem& problem, Tensors& tensors, Instruments& instruments,
                  const Options& options, double budget) {
  std::vector<PeerRun> all = all_peers(problem, tensors, options);
  std::vector<Workload> workloads;
  workloads.reserve(all.size());
  for (const PeerRun& one : all) workloads.push_back(one.workload(options.regime, tensors));
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
  // The probe of the clock computes in f32, and other types have peaks that are multiples of that.
  Machine at_clock = machine_for(machine, types_of(row.problem));
  const double multiple = peak_flops(at_clock) / peak_flops(machine);
  row.peak_flops = threads * paired.peak_flops * multiple;
  at_clock.clock.hertz *= paired.peak_flops / peak_flops(machine);
  row.roofline_seconds = roofline_seconds(computation_of(row.problem), at_clock, threads);
}

}  // namespace

std::string peer_version() { return onednn_version(); }

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
  require_peer_epilogue(options.epilogue);
  std::optional<PinnedThread> pinned;
  if (options.threads == 1) pinned.emplace();
  const Clock clock = steady_clock();
  const double start = clock();
  BenchRow row{.problem = problem, .plan = choose(problem, machine, options, bench)};
  Tensors tensors(problem, options.seed);
  const BoundKernel ours(compile(row.plan), tensors);
  if (!ours.check_all().passed()) return fail(row, "our kernel differs from the reference");
  // The frequency of a shared machine drifts, so each layer calibrates its instruments.
  Instruments instruments = make_instruments(machine.vector.isa, options.threads);
  const PeerRun peer =
      best_peer(problem, tensors, instruments, options, kLayoutShare * bench.budget_seconds);
  row.peer_layout = to_string(peer.layout);
  row.peer_implementation = peer.peer.implementation();
  row.peer_weights = to_string(peer.weights);
  row.peer_algorithm = to_string(peer.winograd ? Algorithm::winograd : Algorithm::direct);
  Check same = compare_results(tensors.computation(), peer.result().values(),
                               tensors.plain_output(ours.kernel().schedule().out).values());
  same.tolerance *= error_growth_of(ours.kernel());
  // oneDNN rounds after it has added the zero point, so ties may differ by one.
  if (options.epilogue.quantisation.output_zero_point) same.tolerance = 1;
  if (!same.passed())
    return fail(row, "oneDNN gives " + std::to_string(same.got) + " for output " +
                         std::to_string(same.worst_index) + ", we " +
                         std::to_string(same.expected));
  const double left = bench.budget_seconds - (clock() - start);
  take(row,
       measure_pair(workload_of(ours, options.regime), peer.workload(options.regime, tensors),
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
