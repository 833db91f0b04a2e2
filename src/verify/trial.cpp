// SPDX-License-Identifier: Apache-2.0
// Candidates on shared tensors: run, and compare with the reference.
#include "trial.h"

#include <algorithm>
#include <cmath>

#include "finish.h"
#include "nest.h"
#include "regime.h"
#include "tensor_memory.h"
#include "tensors.h"

namespace tileplan {

namespace {

std::size_t elements(const TensorLayout& layout) {
  return static_cast<std::size_t>(layout.elements);
}

const TensorAccess& access(const Computation& computation, Operand operand) {
  return computation.tensors[static_cast<std::size_t>(operand)];
}

// Seeds of the tensors of an epilogue, relative to that of the input.
constexpr std::uint64_t kBias = 2, kResidual = 3, kStart = 4;

/// `computation`, known to fit in memory.
const Computation& fitting(const Computation& computation) {
  require_memory(computation);
  return computation;
}

/// What `epilogue` reads, laid out as the output in `layout`.
EpilogueTensors epilogue_tensors(Tensors& tensors, const Epilogue& epilogue, Layout layout) {
  EpilogueTensors views;
  if (epilogue.accumulate) views.start = tensors.start(layout).span();
  if (epilogue.bias) views.bias = tensors.bias().span();
  if (epilogue.add) views.residual = tensors.residual(layout).span();
  return views;
}

}  // namespace

Tensors::Tensors(const Problem& problem, std::uint64_t seed)
    : Tensors(computation_of(problem), seed) {}

Tensors::Tensors(const Computation& computation, std::uint64_t seed)
    : computation_(fitting(computation)),
      plain_input_(layout_of(computation_, Operand::input, Layout::plain)),
      plain_weights_(layout_of(computation_, Operand::weights, Layout::plain)),
      input_(elements(plain_input_)),
      weights_(elements(plain_weights_)),
      seed_(seed) {
  fill_random(input_.span(), seed);
  fill_random(weights_.span(), seed + 1);
}

const Buffer& Tensors::input(Layout layout) {
  const auto known = inputs_.find(layout);
  if (known != inputs_.end()) return known->second;
  const TensorLayout to = layout_of(computation_, Operand::input, layout);
  Buffer& buffer = inputs_.emplace(layout, Buffer(elements(to))).first->second;
  relayout(access(computation_, Operand::input), plain_input_, input_.span(), to, buffer.span());
  return buffer;
}

Buffer& Tensors::output(Layout layout) {
  const auto known = outputs_.find(layout);
  if (known != outputs_.end()) return known->second;
  const TensorLayout to = layout_of(computation_, Operand::output, layout);
  return outputs_.emplace(layout, Buffer(elements(to))).first->second;
}

std::vector<float> Tensors::plain_output(Layout layout) {
  const TensorLayout plain = layout_of(computation_, Operand::output, Layout::plain);
  std::vector<float> values(elements(plain));
  relayout(access(computation_, Operand::output), layout_of(computation_, Operand::output, layout),
           output(layout).span(), plain, values);
  return values;
}

const Buffer& Tensors::bias() {
  if (!bias_) fill_random(bias_.emplace(elements(bias_layout(computation_))).span(), seed_ + kBias);
  return *bias_;
}

const Buffer& Tensors::residual(Layout layout) {
  return like_output(residuals_, layout, seed_ + kResidual);
}

const Buffer& Tensors::start(Layout layout) { return like_output(starts_, layout, seed_ + kStart); }

const Buffer& Tensors::like_output(std::map<Layout, Buffer>& known, Layout layout,
                                   std::uint64_t seed) {
  const auto found = known.find(layout);
  if (found != known.end()) return found->second;
  const TensorLayout plain = layout_of(computation_, Operand::output, Layout::plain);
  const TensorLayout to = layout_of(computation_, Operand::output, layout);
  Buffer values(elements(plain));
  fill_random(values.span(), seed);
  Buffer& buffer = known.emplace(layout, Buffer(elements(to))).first->second;
  relayout(access(computation_, Operand::output), plain, values.span(), to, buffer.span());
  return buffer;
}

Operands Tensors::operands() const {
  return {.input = {.values = input_.span(), .layout = plain_input_},
          .weights = {.values = weights_.span(), .layout = plain_weights_}};
}

Trial::Trial(Kernel kernel, Tensors& tensors)
    : kernel_(std::move(kernel)),
      tensors_(&tensors),
      weights_(kernel_.pack_weights(tensors.weights().span())) {}

void Trial::run() const {
  const EpilogueTensors addends =
      epilogue_tensors(*tensors_, kernel_.epilogue(), kernel_.schedule().out);
  kernel_.run(tensors_->input(kernel_.schedule().in).span(), weights_,
              tensors_->output(kernel_.schedule().out).span(),
              {.bias = addends.bias, .residual = addends.residual});
}

void Trial::run_afresh() const {
  const Layout layout = kernel_.schedule().out;
  const std::span<float> output = tensors_->output(layout).span();
  if (kernel_.epilogue().accumulate) {
    const std::span<const float> start = tensors_->start(layout).span();
    std::copy(start.begin(), start.end(), output.begin());
  } else {
    std::fill(output.begin(), output.end(), std::nanf(""));
  }
  run();
}

void Trial::prepare(Regime regime) const {
  if (regime == Regime::hot) return;
  flush_from_caches(weights_.data(), weights_.size() * sizeof(float));
  if (regime != Regime::all_cold) return;
  for (const std::span<const float> activations :
       {std::span<const float>(tensors_->input(kernel_.schedule().in).span()),
        std::span<const float>(tensors_->output(kernel_.schedule().out).span())})
    flush_from_caches(activations.data(), activations.size_bytes());
}

Workload workload_of(const Trial& trial, Regime regime) {
  Workload workload{.run = [&trial] { trial.run(); }};
  if (regime != Regime::hot) workload.prepare = [&trial, regime] { trial.prepare(regime); };
  return workload;
}

Check Trial::check_all() const {
  const Computation& computation = tensors_->computation();
  const TensorLayout layout = layout_of(computation, Operand::output, kernel_.schedule().out);
  run_afresh();
  std::vector<double> expected = reference(computation, tensors_->operands(), layout);
  const double magnitude = finish_all(
      computation, kernel_.epilogue(),
      epilogue_tensors(*tensors_, kernel_.epilogue(), kernel_.schedule().out), layout, expected);
  return compare(computation, layout, tensors_->output(kernel_.schedule().out).span(), expected,
                 magnitude);
}

SpotCheck::SpotCheck(Tensors& tensors, const Nest& nest, Layout layout, const Options& options)
    : tensors_(&tensors) {
  const Computation& computation = tensors.computation();
  TileStarts starts;
  for (int d = 0; d < computation.dims(); ++d) {
    const std::int64_t size = std::max<std::int64_t>(nest.base[Dim{d}], 1);
    starts[Dim{d}] = tile_starts(computation.extent(Dim{d}), size);
  }
  points_ = choose_outputs(computation, layout_of(computation, Operand::output, layout), starts,
                           {.seed = options.seed});
  expected_ = expected_at(computation, tensors.operands(), points_);
  magnitude_ = finish_at(computation, options.epilogue,
                         epilogue_tensors(tensors, options.epilogue, layout), points_, expected_);
}

Check SpotCheck::check(const Trial& trial) {
  const Computation& computation = tensors_->computation();
  const TensorAccess& output = access(computation, Operand::output);
  const Layout layout = trial.kernel().schedule().out;
  const TensorLayout places = layout_of(computation, Operand::output, layout);
  trial.run_afresh();
  for (OutputPoint& point : points_)
    point.offset = static_cast<std::size_t>(element_offset(output, places, point.iterators));
  const Check exact =
      compare_at(computation, points_, tensors_->output(layout).span(), expected_, magnitude_);
  if (!exact.passed()) return exact;
  const Check all = against_first(trial);
  return all.passed() ? exact : all;
}

Check SpotCheck::against_first(const Trial& trial) {
  const std::vector<float> values = tensors_->plain_output(trial.kernel().schedule().out);
  if (first_.empty()) first_ = values;
  return compare_results(tensors_->computation(), values, first_, magnitude_);
}

}  // namespace tileplan
