// SPDX-License-Identifier: Apache-2.0
// Tensors are filled in plain order and placed through their layouts; what is expected shares
// nothing with the library but shapes and layouts.
#include "check.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "computation.h"
#include "elements.h"
#include "guarded.h"
#include "onednn.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "toy_conv.h"

namespace tileplan::test {

namespace {

constexpr float kNever = -777.0F;  // no kernel computes it

Kernel compiled(const Drawn& drawn) {
  Plan plan;
  plan.problem = drawn.shape;
  plan.machine = toy_machine(drawn.isa);
  plan.options.epilogue = drawn.epilogue;
  plan.options.threads = drawn.threads;
  plan.candidates.push_back({.schedule = drawn.schedule, .prediction = {}, .measurement = {}});
  return compile(plan);
}

/// The logical tensors of one convolution, in plain order, and what is expected of it.
class Case {
 public:
  Case(const Drawn& drawn, Random& random)
      : drawn_(drawn),
        computation_(computation_of(drawn.shape)),
        out_(layout_of(computation_, Operand::output, drawn.schedule.out)) {
    const ConvShape& shape = drawn.shape;
    const std::size_t outputs = elements_of(computation_.tensors.back());
    pixels_ = outputs / static_cast<std::size_t>(shape.n * shape.k);
    input_ = random_floats(random, elements_of(computation_.tensors[0]));
    weights_ = random_floats(random, elements_of(computation_.tensors[1]));
    bias_ = random_floats(random, drawn.epilogue.bias ? static_cast<std::size_t>(shape.k) : 0);
    residual_ = random_floats(random, drawn.epilogue.add ? outputs : 0);
    start_ = random_floats(random, drawn.epilogue.accumulate ? outputs : 0);
    expect(plain_conv(shape, input_, weights_));
    const auto length = static_cast<double>(weights_.size()) / static_cast<double>(shape.k);
    tolerance_ = 4 * 1.2e-7 * std::sqrt(length) * magnitude_;
  }

  /// What is wrong with a run between guard pages; empty when nothing is.
  std::string run(const Kernel& kernel, Flush flush) const;
  /// What oneDNN says of the expected values; nothing when it does not take the problem.
  std::optional<std::string> ask_peer() const;

 private:
  double finished(std::size_t at, double sum) const {
    if (!start_.empty()) sum += start_[at];
    if (!bias_.empty()) sum += bias_[at / pixels_ % static_cast<std::size_t>(drawn_.shape.k)];
    if (!residual_.empty()) sum += residual_[at];
    return sum;
  }
  double limited(double sum) const {
    return std::min(std::max(sum, drawn_.epilogue.low), drawn_.epilogue.high);
  }
  void expect(const std::vector<double>& sums) {
    for (std::size_t at = 0; at < sums.size(); ++at) {
      const double sum = finished(at, sums[at]);
      magnitude_ = std::max(magnitude_, std::abs(sum));
      expected_.push_back(limited(sum));
    }
  }
  /// Puts `plain` where `layout` has it, zeros elsewhere.
  void place(Operand operand, const TensorLayout& layout, const std::vector<float>& plain,
             std::span<float> to) const {
    std::fill(to.begin(), to.end(), 0.0F);
    for_each_element(extents_of(computation_.tensors[static_cast<std::size_t>(operand)]), layout,
                     [&](std::size_t from, std::size_t at) { to[at] = plain[from]; });
  }
  std::string difference(std::span<const float> output) const;

  const Drawn& drawn_;
  Computation computation_;
  TensorLayout out_;
  std::size_t pixels_ = 1;
  std::vector<float> input_, weights_, bias_, residual_, start_;
  std::vector<double> expected_;
  double magnitude_ = 1e-30, tolerance_ = 0;
};

std::string Case::difference(std::span<const float> output) const {
  std::vector<bool> seen(output.size(), false);
  std::string wrong;
  const auto compare = [&](std::size_t at, double expected) {
    if (wrong.empty() && !(element_error(output[at], expected) <= tolerance_))
      wrong = "output " + std::to_string(at) + " is " + std::to_string(output[at]) + ", expected " +
              std::to_string(expected);
  };
  for_each_element(extents_of(computation_.tensors.back()), out_,
                   [&](std::size_t from, std::size_t at) {
                     seen[at] = true;
                     compare(at, expected_[from]);
                   });
  for (std::size_t at = 0; at < seen.size(); ++at)  // the padding of last blocks
    if (!seen[at]) compare(at, 0);
  return wrong;
}

std::string Case::run(const Kernel& kernel, Flush flush) const {
  const Guarded input(kernel.input_size(), flush), weights(weights_.size(), flush);
  const Guarded bias(bias_.size(), flush), output(kernel.output_size(), flush);
  const Guarded residual(residual_.empty() ? 0 : kernel.output_size(), flush);
  place(Operand::input, layout_of(computation_, Operand::input, drawn_.schedule.in), input_,
        input.floats());
  std::copy(weights_.begin(), weights_.end(), weights.floats().begin());
  std::copy(bias_.begin(), bias_.end(), bias.floats().begin());
  if (!residual_.empty()) place(Operand::output, out_, residual_, residual.floats());
  if (start_.empty()) {
    std::fill(output.floats().begin(), output.floats().end(), kNever);
  } else {
    place(Operand::output, out_, start_, output.floats());
  }
  kernel.run(input.floats(), kernel.pack_weights(weights.floats()), output.floats(),
             {.bias = bias.floats(), .residual = residual.floats()});
  return difference(output.floats());
}

std::optional<std::string> Case::ask_peer() const {
  std::optional<OnednnPeer> peer;
  try {
    peer.emplace(drawn_.shape, weights_);
  } catch (const Error&) {
    return std::nullopt;
  }
  std::vector<float> input(peer->input_size()), output(peer->output_size());
  peer->load_input(input_, input);
  peer->bind(input, output)();
  const std::vector<float> sums = peer->plain_output(output);
  for (std::size_t at = 0; at < sums.size(); ++at)
    if (!(element_error(static_cast<float>(limited(finished(at, sums[at]))), expected_[at]) <=
          2 * tolerance_))
      return "oneDNN has " + std::to_string(sums[at]) + " for sum " + std::to_string(at);
  return "";
}

}  // namespace

Outcome check(const Drawn& drawn, Random& random, bool use_peer) {
  std::optional<Kernel> kernel;
  try {
    kernel.emplace(compiled(drawn));
  } catch (const Error& error) {
    return {.verdict = Verdict::refused, .text = error.what()};
  }
  const Case one(drawn, random);
  for (const Flush flush : {Flush::start, Flush::end}) {
    if (flush == Flush::end && drawn.schedule.nontemporal && drawn.schedule.out != Layout::nchw &&
        kernel->output_size() % 16 != 0)
      continue;  // streaming stores need an aligned output
    const std::string wrong = one.run(*kernel, flush);
    if (!wrong.empty()) return {.verdict = Verdict::wrong, .text = wrong};
  }
  const std::optional<std::string> peer = use_peer ? one.ask_peer() : std::nullopt;
  if (peer && !peer->empty()) return {.verdict = Verdict::wrong, .text = *peer};
  return {.verdict = Verdict::right, .text = "", .by_peer = peer.has_value()};
}

}  // namespace tileplan::test
