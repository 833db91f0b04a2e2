// SPDX-License-Identifier: Apache-2.0
// Tensors are filled in plain order and placed through their layouts; what is expected shares
// nothing with the library but shapes and layouts.
#include "check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
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

constexpr int kNever = -777;  // no kernel computes it

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
template <class Number>
class Case {
 public:
  Case(const Drawn& drawn, Random& random)
      : drawn_(drawn),
        computation_(computation_of(drawn.shape)),
        out_(layout_of(computation_, Operand::output, drawn.schedule.out)) {
    const ConvShape& shape = drawn.shape;
    const std::size_t outputs = elements_of(computation_.tensors.back());
    pixels_ = outputs / static_cast<std::size_t>(shape.n * shape.k);
    input_ = random_numbers<Number>(random, elements_of(computation_.tensors[0]));
    weights_ = random_numbers<Number>(random, elements_of(computation_.tensors[1]));
    bias_ =
        random_numbers<Number>(random, drawn.epilogue.bias ? static_cast<std::size_t>(shape.k) : 0);
    residual_ = random_numbers<Number>(random, drawn.epilogue.add ? outputs : 0);
    start_ = random_numbers<Number>(random, drawn.epilogue.accumulate ? outputs : 0);
    expect(plain_conv(shape, input_, weights_));
    const auto length = static_cast<double>(weights_.size()) / static_cast<double>(shape.k);
    tolerance_ = 4 * std::numeric_limits<Number>::epsilon() * std::sqrt(length) * magnitude_;
  }

  /// What is wrong with a run between guard pages; empty when nothing is.
  std::string run(const Kernel& kernel, Flush flush) const;
  /// What oneDNN says of the expected values; nothing when it does not take the problem.
  std::optional<std::string> ask_peer() const;
  std::optional<std::string> ask_onednn() const;

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
  void place(Operand operand, const TensorLayout& layout, const std::vector<Number>& plain,
             std::span<Number> to) const {
    std::fill(to.begin(), to.end(), Number{0});
    for_each_element(extents_of(computation_.tensors[static_cast<std::size_t>(operand)]), layout,
                     [&](std::size_t from, std::size_t at) { to[at] = plain[from]; });
  }
  std::string difference(std::span<const Number> output) const;

  const Drawn& drawn_;
  Computation computation_;
  TensorLayout out_;
  std::size_t pixels_ = 1;
  std::vector<Number> input_, weights_, bias_, residual_, start_;
  std::vector<double> expected_;
  double magnitude_ = 1e-30, tolerance_ = 0;
};

template <class Number>
std::string Case<Number>::difference(std::span<const Number> output) const {
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

template <class Number>
std::string Case<Number>::run(const Kernel& kernel, Flush flush) const {
  const ElementType type = drawn_.shape.type;
  const Guarded input(kernel.input_size(), flush, type), weights(weights_.size(), flush, type);
  const Guarded bias(bias_.size(), flush, type), output(kernel.output_size(), flush, type);
  const Guarded residual(residual_.empty() ? 0 : kernel.output_size(), flush, type);
  place(Operand::input, layout_of(computation_, Operand::input, drawn_.schedule.in), input_,
        input.numbers<Number>());
  std::copy(weights_.begin(), weights_.end(), weights.numbers<Number>().begin());
  std::copy(bias_.begin(), bias_.end(), bias.numbers<Number>().begin());
  if (!residual_.empty()) place(Operand::output, out_, residual_, residual.numbers<Number>());
  const std::span<Number> outputs = output.numbers<Number>();
  if (start_.empty()) {
    std::fill(outputs.begin(), outputs.end(), kNever);
  } else {
    place(Operand::output, out_, start_, outputs);
  }
  // The overload is chosen by the type of the spans.
  const std::span<const Number> read = input.numbers<Number>(), plain = weights.numbers<Number>();
  kernel.run(read, kernel.pack_weights(plain), outputs,
             {.bias = bias.numbers<Number>(), .residual = residual.numbers<Number>()});
  return difference(outputs);
}

template <class Number>
std::optional<std::string> Case<Number>::ask_peer() const {
  if constexpr (std::is_same_v<Number, float>) {
    return ask_onednn();
  } else {
    return std::nullopt;  // it has no f64
  }
}

template <class Number>
std::optional<std::string> Case<Number>::ask_onednn() const {
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

template <class Number>
Outcome check_as(const Drawn& drawn, const Kernel& kernel, Random& random, bool use_peer) {
  constexpr std::size_t kVector = 64;  // bytes
  const Case<Number> one(drawn, random);
  for (const Flush flush : {Flush::start, Flush::end}) {
    if (flush == Flush::end && drawn.schedule.nontemporal &&
        kernel.output_size() * sizeof(Number) % kVector != 0)
      continue;  // streaming stores need an aligned output
    const std::string wrong = one.run(kernel, flush);
    if (!wrong.empty()) return {.verdict = Verdict::wrong, .text = wrong};
  }
  const std::optional<std::string> peer = use_peer ? one.ask_peer() : std::nullopt;
  if (peer && !peer->empty()) return {.verdict = Verdict::wrong, .text = *peer};
  return {.verdict = Verdict::right, .text = "", .by_peer = peer.has_value()};
}

}  // namespace

Outcome check(const Drawn& drawn, Random& random, bool use_peer) {
  std::optional<Kernel> kernel;
  try {
    kernel.emplace(compiled(drawn));
  } catch (const Error& error) {
    return {.verdict = Verdict::refused, .text = error.what()};
  }
  return drawn.shape.type == ElementType::f64 ? check_as<double>(drawn, *kernel, random, use_peer)
                                              : check_as<float>(drawn, *kernel, random, use_peer);
}

}  // namespace tileplan::test
