// SPDX-License-Identifier: Apache-2.0
// Candidates on shared tensors: run, and compare with the reference.
#include "trial.h"

#include <algorithm>
#include <cmath>

#include "nest.h"
#include "tensors.h"

namespace tileplan {

namespace {

std::size_t elements(const TensorLayout& layout) {
  return static_cast<std::size_t>(layout.elements);
}

const TensorAccess& access(const Computation& computation, Operand operand) {
  return computation.tensors[static_cast<std::size_t>(operand)];
}

}  // namespace

Tensors::Tensors(const Problem& problem, std::uint64_t seed)
    : computation_(computation_of(problem)),
      plain_input_(layout_of(computation_, Operand::input, Layout::plain)),
      plain_weights_(layout_of(computation_, Operand::weights, Layout::plain)),
      input_(elements(plain_input_)),
      weights_(elements(plain_weights_)) {
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

Operands Tensors::operands() const {
  return {.input = {.values = input_.span(), .layout = plain_input_},
          .weights = {.values = weights_.span(), .layout = plain_weights_}};
}

Trial::Trial(Kernel kernel, Tensors& tensors)
    : kernel_(std::move(kernel)),
      tensors_(&tensors),
      weights_(kernel_.pack_weights(tensors.weights().span())) {}

void Trial::run() const {
  kernel_.run(tensors_->input(kernel_.schedule().in).span(), weights_,
              tensors_->output(kernel_.schedule().out).span());
}

Check Trial::check_all() const {
  const TensorLayout layout =
      layout_of(tensors_->computation(), Operand::output, kernel_.schedule().out);
  Buffer& output = tensors_->output(kernel_.schedule().out);
  std::fill(output.span().begin(), output.span().end(), std::nanf(""));
  run();
  return compare(tensors_->computation(), layout, output.span(),
                 reference(tensors_->computation(), tensors_->operands(), layout));
}

SpotCheck::SpotCheck(Tensors& tensors, const Nest& nest, Layout layout, std::uint64_t seed)
    : tensors_(&tensors) {
  const Computation& computation = tensors.computation();
  TileStarts starts;
  for (int d = 0; d < computation.dims(); ++d) {
    const std::int64_t size = std::max<std::int64_t>(nest.base[Dim{d}], 1);
    starts[Dim{d}] = tile_starts(computation.extent(Dim{d}), size);
  }
  points_ = choose_outputs(computation, layout_of(computation, Operand::output, layout), starts,
                           {.seed = seed});
  expected_ = expected_at(computation, tensors.operands(), points_);
}

Check SpotCheck::check(const Trial& trial) {
  const Computation& computation = tensors_->computation();
  const TensorAccess& output = access(computation, Operand::output);
  const Layout layout = trial.kernel().schedule().out;
  const TensorLayout places = layout_of(computation, Operand::output, layout);
  Buffer& buffer = tensors_->output(layout);
  std::fill(buffer.span().begin(), buffer.span().end(), std::nanf(""));
  trial.run();
  for (OutputPoint& point : points_)
    point.offset = static_cast<std::size_t>(element_offset(output, places, point.iterators));
  const Check exact = compare_at(computation, points_, buffer.span(), expected_);
  if (!exact.passed()) return exact;
  const Check all = against_first(trial);
  return all.passed() ? exact : all;
}

/// Both differ from the truth by a tolerance at most, so from each other by two.
Check SpotCheck::against_first(const Trial& trial) {
  const Computation& computation = tensors_->computation();
  const TensorLayout plain = layout_of(computation, Operand::output, Layout::plain);
  const Layout layout = trial.kernel().schedule().out;
  std::vector<float> values(elements(plain));
  relayout(access(computation, Operand::output), layout_of(computation, Operand::output, layout),
           tensors_->output(layout).span(), plain, values);
  if (first_.empty()) first_ = values;
  Check check;
  check.compared = values.size();
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(first_[i])));
    const double error = std::abs(static_cast<double>(values[i]) - first_[i]);
    if (error <= check.largest_error) continue;  // false for NaN, which is an error
    check.largest_error = std::isnan(error) ? HUGE_VAL : error;
    check.worst_index = i;
    check.expected = first_[i];
    check.got = values[i];
  }
  check.tolerance = 2 * tolerance(computation, largest);
  return check;
}

}  // namespace tileplan
