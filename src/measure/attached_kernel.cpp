// SPDX-License-Identifier: Apache-2.0
// This file makes the tensors of a problem, runs candidate kernels on them, and compares results
// with the reference.
#include "attached_kernel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "apply_epilogue.h"
#include "check.h"
#include "scaled_sums.h"
#include "tensor_memory.h"
#include "tensors.h"
#include "winograd_error.h"
#include "winograd_reference.h"
#include "winograd_rules.h"

namespace tileplan {
namespace {

Buffer buffer_of(const Computation& computation, Operand operand, const TensorLayout& layout) {
  return Buffer(static_cast<std::size_t>(layout.elements), computation.tensor(operand).type);
}
Buffer buffer_of(const Computation& computation, Operand operand, Layout layout) {
  return buffer_of(computation, operand, layout_of(computation, operand, layout));
}

/// Each random tensor of an epilogue adds its own number to the seed of the input, so that the
/// tensors differ.
constexpr std::uint64_t kBias = 2, kResidual = 3, kStart = 4, kNumbers = 5;

/// Returns `computation`. Throws Error when its tensors do not fit in memory.
const Computation& require_fit(const Computation& computation) {
  require_memory(computation);
  return computation;
}

/// Returns the tensors that `epilogue` reads. Residual and initial output are in `layout`.
EpilogueTensors epilogue_tensors(Tensors& tensors, const Epilogue& epilogue, Layout layout) {
  EpilogueTensors views;
  if (epilogue.beta != 0) views.start = tensors.start(layout).values();
  if (epilogue.bias) views.bias = tensors.bias().values();
  if (epilogue.add) views.residual = tensors.residual(layout).values();
  views.requantisation = tensors.numbers(epilogue.quantisation).requantisation();
  return views;
}

}  // namespace

Tensors::Tensors(const Problem& problem, std::uint64_t seed)
    : Tensors(computation_of(problem), seed) {}

Tensors::Tensors(const Computation& computation, std::uint64_t seed)
    : computation_(require_fit(computation)),
      input_(buffer_of(computation_, Operand::input, Layout::plain)),
      weights_(buffer_of(computation_, Operand::weights, Layout::plain)),
      seed_(seed) {
  fill_random(input_, seed);
  fill_random(weights_, seed + 1);
}

const Buffer& Tensors::input(Layout layout) {
  const auto known = inputs_.find(layout);
  if (known != inputs_.end()) return known->second;
  return inputs_.emplace(layout, convert(Operand::input, Layout::plain, input_, layout))
      .first->second;
}

Buffer& Tensors::output(Layout layout) {
  const auto known = outputs_.find(layout);
  if (known != outputs_.end()) return known->second;
  return outputs_.emplace(layout, buffer_of(computation_, Operand::output, layout)).first->second;
}

Buffer Tensors::plain_output(Layout layout) {
  return convert(Operand::output, layout, output(layout), Layout::plain);
}

const Buffer& Tensors::bias() {
  if (!bias_) {
    const auto size = static_cast<std::size_t>(bias_layout(computation_).elements);
    bias_.emplace(size, accumulator_of(types_of(computation_.problem)));
    fill_random(*bias_, seed_ + kBias);
    // Biases are divided by this number, because larger biases would saturate each output of 8
    // bits.
    constexpr std::int32_t kSmaller = 1 << 12;
    const std::int64_t output = computation_.tensor(Operand::output).element_bytes();
    if (output == 1)
      for (std::int32_t& each : bias_->span<std::int32_t>()) each /= kSmaller;
  }
  return *bias_;
}

Bytes Tensors::others(std::int64_t bytes) {
  constexpr std::int64_t kFloat = 4;
  if (bytes == 0) return {};
  const auto elements = static_cast<std::size_t>((bytes + kFloat - 1) / kFloat);
  if (!others_ || others_->size() != elements) others_.emplace(elements);
  return others_->bytes();
}

const Buffer& Tensors::residual(Layout layout) {
  return random_like_output(residuals_, layout, seed_ + kResidual);
}

const Buffer& Tensors::start(Layout layout) {
  return random_like_output(starts_, layout, seed_ + kStart);
}

const Buffer& Tensors::random_like_output(std::map<Layout, Buffer>& known, Layout layout,
                                          std::uint64_t seed) {
  const auto found = known.find(layout);
  if (found != known.end()) return found->second;
  Buffer values = buffer_of(computation_, Operand::output, Layout::plain);
  fill_random(values, seed);
  return known.emplace(layout, convert(Operand::output, Layout::plain, values, layout))
      .first->second;
}

Buffer Tensors::convert(Operand operand, Layout from, const Buffer& values, Layout to) const {
  return relayout(computation_.tensor(operand), layout_of(computation_, operand, from), values,
                  layout_of(computation_, operand, to));
}

Tensors::Quantised& Tensors::quantised(const Quantisation& quantisation) {
  const auto known = std::ranges::find(quantised_, quantisation, &Quantised::names);
  if (known != quantised_.end()) return *known;
  return quantised_.emplace_back(
      Quantised{quantisation, quantised_numbers(computation_, quantisation, seed_ + kNumbers)});
}

const QuantisedNumbers& Tensors::numbers(const Quantisation& quantisation) {
  return quantised(quantisation).numbers;
}

Operands Tensors::operands(const Quantisation& quantisation) {
  const auto plain = [&](Operand operand, const Buffer& buffer) -> TensorView {
    return {buffer.values(), layout_of(computation_, operand, Layout::plain)};
  };
  if (!quantisation.input_zero_point && quantisation.weights_zero_points == Granularity::none)
    return {plain(Operand::input, input_), plain(Operand::weights, weights_)};
  Quantised& moved = quantised(quantisation);
  if (!moved.input) {
    moved.input.emplace(moved_input(input_, moved.numbers));
    moved.weights.emplace(moved_weights(computation_, weights_, moved.numbers));
  }
  return {plain(Operand::input, *moved.input), plain(Operand::weights, *moved.weights)};
}

AttachedKernel::AttachedKernel(Kernel kernel, Tensors& tensors)
    : kernel_(std::move(kernel)),
      tensors_(&tensors),
      numbers_(&tensors.numbers(kernel_.epilogue().quantisation)) {
  if (!kernel_.schedule().takes_plain_weights())
    packed_.emplace(kernel_.pack_weights(tensors.weights().elements(), numbers_->zero_points()));
}

RunWeights AttachedKernel::weights() const {
  if (packed_) return *packed_;
  return tensors_->weights().elements();
}

void AttachedKernel::run() const {
  const Schedule& schedule = kernel_.schedule();
  Addends addends{.requantisation = numbers_->requantisation(),
                  .input_zero_point = numbers_->input_zero_point};
  if (kernel_.epilogue().bias) addends.bias = tensors_->bias().elements();
  if (kernel_.epilogue().add) addends.residual = tensors_->residual(schedule.out).elements();
  kernel_.run(tensors_->input(schedule.in).elements(), weights(),
              tensors_->output(schedule.out).elements(), addends);
}

void AttachedKernel::run_from_start() const {
  const Layout layout = kernel_.schedule().out;
  // If beta is 0, the output is filled with this byte, so that elements which no run writes are
  // NaN: a floating-point number whose bytes are all 0xff is NaN.
  constexpr int kNan = 0xff;
  Buffer& output = tensors_->output(layout);
  char* const bytes = output.elements().data();
  if (kernel_.epilogue().beta != 0) {
    std::memcpy(bytes, tensors_->start(layout).bytes().data(), output.size_bytes());
  } else {
    std::memset(bytes, kNan, output.size_bytes());
  }
  run();
}

std::vector<Bytes> AttachedKernel::cold(Regime regime) const {
  const Layout out = kernel_.schedule().out;
  std::vector<Bytes> others{tensors_->input(kernel_.schedule().in).bytes(),
                            tensors_->output(out).bytes()};
  if (kernel_.epilogue().bias) others.push_back(tensors_->bias().bytes());
  if (kernel_.epilogue().add) others.push_back(tensors_->residual(out).bytes());
  const Bytes weights = packed_ ? std::as_bytes(std::span(packed_->data(), packed_->size_bytes()))
                                : tensors_->weights().bytes();
  return cold_in(regime, weights, std::move(others));
}

std::function<void()> AttachedKernel::preparation(Regime regime) const {
  return tileplan::preparation(regime, cold(regime), tensors_->others(regime.bytes));
}

double error_growth_of(const Kernel& kernel) {
  const auto& tiles = kernel.schedule().winograd;
  return tiles ? std::max(1.0, error_growth(winograd_tile(kernel.problem(), *tiles))) : 1;
}

Workload workload_of(const AttachedKernel& attached, Regime regime) {
  return {.run = [&attached] { attached.run(); }, .prepare = attached.preparation(regime)};
}

Check AttachedKernel::check_all() const {
  const Computation& computation = tensors_->computation();
  const Layout out = kernel_.schedule().out;
  const TensorLayout layout = layout_of(computation, Operand::output, out);
  run_from_start();
  std::vector<double> expected =
      reference(computation, tensors_->operands(kernel_.epilogue().quantisation), layout);
  const double magnitude =
      apply_epilogue(computation, kernel_.epilogue(),
                     epilogue_tensors(*tensors_, kernel_.epilogue(), out), layout, expected);
  const Values got = tensors_->output(out).values();
  const auto& tiles = kernel_.schedule().winograd;
  if (!tiles) return compare(computation, layout, got, expected, magnitude);
  const std::vector<double> tolerances = winograd_tolerances(
      computation, tensors_->operands(), layout, winograd_tile(kernel_.problem(), *tiles),
      {kernel_.epilogue(), magnitude});
  return compare_within(computation, layout, got, expected, tolerances);
}

SampledCheck::SampledCheck(Tensors& tensors, const Nest& nest, Layout layout,
                           const Options& options)
    : tensors_(&tensors), epilogue_(options.epilogue) {
  const Computation& computation = tensors.computation();
  TileStarts starts;
  for (int d = 0; d < computation.dims(); ++d) {
    const std::int64_t size = std::max<std::int64_t>(nest.base[Dim{d}], 1);
    starts[Dim{d}] = tile_starts(computation.extent(Dim{d}), size);
  }
  points_ = choose_outputs(computation, layout_of(computation, Operand::output, layout), starts,
                           {.seed = options.seed});
  expected_ = expected_at(computation, tensors.operands(options.epilogue.quantisation), points_);
  magnitude_ =
      apply_epilogue_at(computation, options.epilogue,
                        epilogue_tensors(tensors, options.epilogue, layout), points_, expected_);
}

Check SampledCheck::check(const AttachedKernel& attached) {
  const Computation& computation = tensors_->computation();
  const TensorAccess& output = computation.tensor(Operand::output);
  const Layout layout = attached.kernel().schedule().out;
  const TensorLayout places = layout_of(computation, Operand::output, layout);
  attached.run_from_start();
  for (OutputPoint& point : points_) point.offset = element_index(output, places, point.iterators);
  growth_ = error_growth_of(attached.kernel());
  Check exact =
      compare_at(computation, points_, tensors_->output(layout).values(), expected_, magnitude_);
  exact.tolerance *= growth_;
  if (!exact.passed()) return exact;
  const Check all = compare_with_first(tensors_->plain_output(layout));
  return all.passed() ? exact : all;
}

Check SampledCheck::compare_with_first(Buffer results) {
  // There are no earlier results when the first kernel is checked. Its results are compared with
  // themselves, and only a NaN differs from itself.
  const Values expected = first_ ? first_->values() : results.values();
  Check check = compare_results(tensors_->computation(), results.values(), expected, magnitude_);
  check.tolerance *= growth_;
  if (first_ && !check.passed()) check = exact_at(check.worst_index, results);
  if (check.passed() && !first_) first_.emplace(std::move(results));
  return check;
}

Check SampledCheck::exact_at(std::size_t plain_offset, const Buffer& results) {
  const Computation& computation = tensors_->computation();
  const TensorAccess& output = computation.tensor(Operand::output);
  const TensorLayout plain = layout_of(computation, Operand::output, Layout::plain);
  const std::vector<Dim> dims = output_dims(computation);
  OutputPoint point{.iterators = {}, .offset = plain_offset};
  while (element_index(output, plain, point.iterators) != plain_offset) {
    const bool has_more = advance(computation, dims, point.iterators);
    TILEPLAN_CHECK(has_more, "no output lies there");
  }
  std::vector<double> expected =
      expected_at(computation, tensors_->operands(epilogue_.quantisation), {&point, 1});
  apply_epilogue_at(computation, epilogue_, epilogue_tensors(*tensors_, epilogue_, Layout::plain),
                    {&point, 1}, expected);
  Check check = compare_at(computation, {&point, 1}, results.values(), expected, magnitude_);
  check.tolerance *= growth_;
  return check;
}

}  // namespace tileplan
