// SPDX-License-Identifier: Apache-2.0
// This file makes kernels of oneDNN with buffers of their own, and calls BLAS libraries on our
// operands.
#include "peer_run.h"

#include <algorithm>

#include "gemm_peers.h"
#include "onednn.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Holds a primitive of oneDNN and its buffers. The values of our input are copied into `input`.
struct OnednnState {
  OnednnPeer peer;
  Buffer input, output;

  OnednnState(const Problem& problem, const Tensors& tensors, const PeerOptions& options)
      : peer(problem, tensors.weights().elements(), options),
        input(peer.input_size(), types_of(problem).input),
        output(peer.output_size(), types_of(problem).output) {
    peer.load_input(tensors.plain_input().elements(), input.elements());
  }
};

PeerRun onednn_run(const Problem& problem, const Tensors& tensors, const PeerOptions& options) {
  const auto state = std::make_shared<OnednnState>(problem, tensors, options);
  return {.kernel = {.library = "onednn",
                     .version = onednn_version(),
                     .layout = to_string(options.layout),
                     .weights = to_string(options.weights),
                     .implementation = state->peer.implementation(),
                     .algorithm =
                         to_string(options.winograd ? Algorithm::winograd : Algorithm::direct)},
          .run = state->peer.bind(state->input.elements(), state->output.elements()),
          .plain_output = [state] { return state->peer.plain_output(state->output.elements()); },
          .weights = state->peer.read_weights(),
          .activations = {state->input.bytes(), state->output.bytes()}};
}

std::vector<PeerLayout> onednn_layouts(const Problem& problem) {
  if (std::holds_alternative<GemmShape>(problem)) return {PeerLayout::any};
  if (std::holds_alternative<ConvShape>(problem))
    return {PeerLayout::any, PeerLayout::nhwc, PeerLayout::nchw};
  throw Error("bench: oneDNN has no counterpart of a user-written relation");
}

/// Returns the forms of weights with which oneDNN does the same work as kernels of `options`.
std::vector<PeerWeights> onednn_weights(const Options& options) {
  if (options.weights == WeightsChoice::packed) return {PeerWeights::packed};
  return {PeerWeights::plain, PeerWeights::reordered};
}

PeerEpilogue onednn_epilogue(Tensors& tensors, const Epilogue& epilogue) {
  const QuantisedNumbers& numbers = tensors.numbers(epilogue.quantisation);
  PeerEpilogue all{.epilogue = epilogue,
                   .addends = {.requantisation = numbers.requantisation(),
                               .input_zero_point = numbers.input_zero_point}};
  if (epilogue.bias) all.addends.bias = tensors.bias().elements();
  return all;
}

/// Removes the runs of oneDNN's reference implementation, plain loops, unless `runs` has no others.
/// For integers in nchw, oneDNN has only plain loops, and one run of them can take a second.
void drop_plain_loops(std::vector<PeerRun>& runs) {
  const auto is_plain = [](const PeerRun& run) {
    return run.kernel.implementation.starts_with("ref");
  };
  if (!std::ranges::all_of(runs, is_plain)) std::erase_if(runs, is_plain);
}

/// Returns one run of oneDNN for each layout and each form of the weights. Runs of oneDNN's plain
/// loops are left out if there are others. Runs with Winograd's algorithm and packed weights are
/// added where `options` allow both and oneDNN has the algorithm for this problem.
std::vector<PeerRun> onednn_runs(const Problem& problem, Tensors& tensors, const Options& options) {
  require_peer_epilogue(options.epilogue);
  const PeerEpilogue epilogue = onednn_epilogue(tensors, options.epilogue);
  const std::vector<PeerLayout> layouts = onednn_layouts(problem);
  std::vector<PeerRun> all;
  for (const PeerWeights weights : onednn_weights(options))
    for (const PeerLayout layout : layouts)
      all.push_back(onednn_run(problem, tensors,
                               {.epilogue = epilogue,
                                .layout = layout,
                                .weights = weights,
                                .threads = options.threads}));
  drop_plain_loops(all);
  // oneDNN transforms the weights of Winograd outside the timed call.
  if (options.algorithm == Algorithm::direct || options.weights != WeightsChoice::packed ||
      !std::holds_alternative<ConvShape>(problem))
    return all;
  for (const PeerLayout layout : layouts) {
    try {
      all.push_back(onednn_run(
          problem, tensors,
          {.epilogue = epilogue, .winograd = true, .layout = layout, .threads = options.threads}));
    } catch (const Error&) {
      // If oneDNN has no Winograd kernel for the problem, its direct kernels compete alone.
    }
  }
  return all;
}

/// Returns the shape of `problem`. Throws Error unless it is a product in f32 and `options` ask for
/// plain weights, one thread and no epilogue. GemmPeer::bind refuses batches later.
const GemmShape& blas_shape(const std::string& peer, const Problem& problem,
                            const Options& options) {
  const auto* const shape = std::get_if<GemmShape>(&problem);
  if (shape == nullptr || shape->types != TensorTypes{})
    throw Error("bench: " + peer + " cannot compute " + name_of(problem) +
                "; must be a matrix product in f32");
  if (options.weights == WeightsChoice::packed || options.threads > 1)
    throw Error("bench: " + peer +
                " packs inside its time on one thread; must have --weights plain and one thread");
  if (options.epilogue != Epilogue{})
    throw Error("bench: " + peer + " is not compared with the epilogue " +
                to_string(options.epilogue) + "; must have none");
  return *shape;
}

/// Returns a run of the library `peer`, which multiplies the plain tensors and writes to an output
/// of its own.
PeerRun blas_run(const std::string& peer, const Problem& problem, Tensors& tensors,
                 const Options& options) {
  const GemmShape& shape = blas_shape(peer, problem, options);
  const GemmPeer library = gemm_peer(peer);
  if (!library.missing.empty()) throw Error("bench: " + library.name + ": " + library.missing);
  const Buffer& a = tensors.input(Layout::plain);
  const auto c = std::make_shared<Buffer>(tensors.output(Layout::plain).size());
  const auto copy = [c] {
    Buffer values(c->size());
    std::ranges::copy(c->span(), values.data());
    return values;
  };
  return {.kernel = {.library = library_of(peer),
                     .version = library.version,
                     .layout = to_string(PeerLayout::any),
                     .weights = to_string(PeerWeights::plain),
                     .implementation = "cblas_sgemm",
                     .algorithm = to_string(Algorithm::direct)},
          .run = [c, multiply = library.bind(shape, {.a = a.span(),
                                                     .b = tensors.weights().span(),
                                                     .c = c->span()})] { multiply(); },
          .plain_output = copy,
          .weights = tensors.weights().bytes(),
          .activations = {a.bytes(), c->bytes()}};
}

}  // namespace

std::vector<PeerRun> peer_runs(const std::string& peer, const Problem& problem, Tensors& tensors,
                               const Options& options) {
  if (peer == "onednn") return onednn_runs(problem, tensors, options);
  return {blas_run(peer, problem, tensors, options)};
}

Workload workload_of(const PeerRun& run, Regime regime, Tensors& tensors) {
  return {.run = run.run,
          .prepare = preparation(regime, cold_in(regime, run.weights, run.activations),
                                 tensors.others(regime.bytes))};
}

}  // namespace tileplan
