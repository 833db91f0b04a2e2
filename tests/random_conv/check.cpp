// SPDX-License-Identifier: Apache-2.0
// Tensors are filled in row-major order and copied to their layouts. The expected values of a
// convolution depend on the library only through shapes, layouts and activations, and those of
// other problems also through the accesses that isl read.
#include "check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <variant>
#include <vector>

#include "computation.h"
#include "elements.h"
#include "guarded.h"
#include "onednn.h"
#include "plain_conv.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "winograd_reference.h"
#include "winograd_rules.h"

namespace tileplan::test {

namespace {

// This value fills gaps that kernels must not access, and outputs that they do not read. Few
// kernels compute it, so the test sees which outputs were not written.
constexpr int kNever = -777;
// A case has five tensors: input, weights, bias, residual and output.
constexpr std::size_t kTensors = 5;
constexpr std::int64_t kVector = 16;  // The longest vector has this many elements.

/// Holds, for each tensor, the number of elements between the inaccessible page before the tensor
/// and its first element. All numbers are 0 when the tensors end right before a page.
using Shifts = std::array<std::size_t, kTensors>;

Kernel compile_case(const RandomCase& drawn) {
  Plan plan = plan_for(drawn.problem, drawn.schedule, drawn.isa);
  plan.options.epilogue = drawn.epilogue;
  plan.options.threads = drawn.threads;
  return compile(plan);
}

/// Returns, for each output in row-major order, the index of the bias that is added to it.
std::vector<std::size_t> bias_of_outputs(const Computation& computation) {
  std::vector<std::size_t> places(elements_of(computation.tensor(Operand::output)));
  if (const auto* conv = std::get_if<ConvShape>(&computation.problem)) {
    const auto channels = static_cast<std::size_t>(conv->k);
    const std::size_t pixels = places.size() / (static_cast<std::size_t>(conv->n) * channels);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i / pixels % channels;
  } else {
    for_each_element(extents_of(computation.tensor(Operand::output)), bias_layout(computation),
                     [&](std::size_t from, std::size_t at) { places[from] = at; });
  }
  return places;
}

/// Returns the row-major index of the element that iteration `point` accesses, or nothing when the
/// element is a zero in the padding.
std::optional<std::size_t> plain_place(const TensorAccess& tensor, const Tile& point) {
  std::int64_t place = 0;
  for (const DataDim& data : tensor.data) {
    std::int64_t index = data.offset;
    for (const Term& term : data.terms) index += term.coefficient * point[term.dim];
    if (index < 0 || index >= data.extent) return std::nullopt;
    place = place * data.extent + index;
  }
  return static_cast<std::size_t>(place);
}

/// Computes the output iteration by iteration. All tensors are in row-major order.
template <class Number>
std::vector<double> plain_product(const Computation& computation, const std::vector<Number>& input,
                                  const std::vector<Number>& weights) {
  std::vector<SumOf<Number>> sums;
  Tile point{};
  for (int d = 0; d >= 0;) {
    const auto at = plain_place(computation.tensor(Operand::output), point);
    const auto left = plain_place(computation.tensor(Operand::input), point);
    const auto right = plain_place(computation.tensor(Operand::weights), point);
    if (sums.size() <= *at) sums.resize(*at + 1);
    if (left && right) sums[*at] += static_cast<SumOf<Number>>(input[*left]) * weights[*right];
    for (d = computation.dims() - 1; d >= 0 && ++point[Dim{d}] == computation.extent(Dim{d}); --d)
      point[Dim{d}] = 0;
  }
  return {sums.begin(), sums.end()};
}

/// Returns the value that fills the gaps of a tensor. In the padding of the last channel block,
/// kernels read zeros. They must not read the gaps between rows.
double filler_of(Layout layout) {
  return layout == Layout::nChw16c || layout == Layout::nChw8c ? 0 : kNever;
}

template <class Number>
class Case {
 public:
  Case(const RandomCase& drawn, const Kernel& kernel, Random& random)
      : drawn_(drawn), kernel_(kernel), computation_(computation_of(drawn.problem)) {
    const std::size_t outputs = elements_of(computation_.tensor(Operand::output));
    bias_of_ = bias_of_outputs(computation_);
    input_ = random_numbers<Number>(random, elements_of(computation_.tensor(Operand::input)));
    weights_ = random_numbers<Number>(random, elements_of(computation_.tensor(Operand::weights)));
    bias_ = random_numbers<Number>(random, drawn.epilogue.bias ? kernel.bias_size() : 0);
    residual_ = random_numbers<Number>(random, drawn.epilogue.add ? outputs : 0);
    start_ = random_numbers<Number>(random, drawn.epilogue.beta != 0 ? outputs : 0);
    const auto* conv = std::get_if<ConvShape>(&drawn.problem);
    expect(conv != nullptr ? plain_conv(*conv, input_, weights_)
                           : plain_product(computation_, input_, weights_));
    double length = 1;  // Counts the terms of each sum.
    for (int d = 0; d < computation_.dims(); ++d)
      if (computation_.role(Dim{d}) == Role::reduction)
        length *= static_cast<double>(computation_.extent(Dim{d}));
    // The tolerance is at least that of typical sums, because the rounding errors of terms can be
    // large although all outputs are small.
    const double root = std::sqrt(length);
    const double typical = root / 3 * std::max(1.0, std::abs(drawn.epilogue.alpha));
    const double tolerance =
        4 * std::numeric_limits<Number>::epsilon() * root * std::max(magnitude_, typical);
    tolerances_.assign(outputs, tolerance);
    if (drawn.schedule.winograd) expect_winograd_errors();
  }

  /// Runs the kernel on tensors between inaccessible pages. Returns a text about the first output
  /// with too large an error, or "" if there is none.
  std::string run(Flush flush, const Shifts& shifts) const;
  /// Returns a text about the first output of oneDNN with too large an error, or "" if there is
  /// none. Returns nothing for f64, for products and relations, and when oneDNN cannot compute the
  /// convolution.
  std::optional<std::string> ask_peer() const;

 private:
  double add_epilogue(std::size_t at, double sum) const {
    const auto [product, before] =
        scaled_terms(drawn_.epilogue, sum, start_.empty() ? 0 : start_[at]);
    sum = product + before;
    if (!bias_.empty()) sum += bias_[bias_of_[at]];
    if (!residual_.empty()) sum += residual_[at];
    return sum;
  }
  double limit(double sum) const { return finished(drawn_.epilogue, sum); }
  void expect(const std::vector<double>& sums) {
    for (std::size_t at = 0; at < sums.size(); ++at) {
      const double sum = add_epilogue(at, sums[at]);
      magnitude_ =
          std::max({magnitude_, std::abs(sum), std::abs(drawn_.epilogue.alpha * sums[at])});
      expected_.push_back(limit(sum));
    }
  }
  /// Sets the tolerance of each output of a Winograd convolution to the smaller of the certified
  /// bound and a multiple of the typical error, times |alpha|. Rounding errors of the epilogue are
  /// added.
  void expect_winograd_errors() {
    if constexpr (std::is_same_v<Number, float>) {
      const auto plain = [&](Operand operand) {
        return layout_of(computation_, operand, Layout::plain);
      };
      const WinogradErrors errors = winograd_errors(
          computation_, {{input_, plain(Operand::input)}, {weights_, plain(Operand::weights)}},
          plain(Operand::output), winograd_tile(drawn_.problem, *drawn_.schedule.winograd));
      const double rounding = 4 * std::numeric_limits<float>::epsilon() * magnitude_;
      for (std::size_t at = 0; at < tolerances_.size(); ++at)
        tolerances_[at] = std::abs(drawn_.epilogue.alpha) *
                              std::min(errors.bound[at], kMostDeviations * errors.deviation[at]) +
                          rounding;
    }
  }
  /// Copies `plain` into `layout`, and fills the gaps, or everything if `plain` is empty, with
  /// filler_of(layout).
  void place(Operand operand, Layout layout, const std::vector<Number>& plain,
             std::span<Number> to) const {
    std::fill(to.begin(), to.end(), static_cast<Number>(filler_of(layout)));
    if (plain.empty()) return;
    for_each_element(extents_of(computation_.tensor(operand)),
                     layout_of(computation_, operand, layout),
                     [&](std::size_t from, std::size_t at) { to[at] = plain[from]; });
  }
  std::string first_difference(std::span<const Number> output) const;

  const RandomCase& drawn_;
  const Kernel& kernel_;
  Computation computation_;
  std::vector<std::size_t> bias_of_;
  std::vector<Number> input_, weights_, bias_, residual_, start_;
  std::vector<double> expected_;
  std::vector<double> tolerances_;  // Holds the tolerance of each output in row-major order.
  double magnitude_ = 1e-30;
};

template <class Number>
std::string Case<Number>::first_difference(std::span<const Number> output) const {
  std::vector<double> expected(output.size(), filler_of(drawn_.schedule.out));
  std::vector<double> tolerances(output.size(), 0);
  for_each_element(extents_of(computation_.tensor(Operand::output)),
                   layout_of(computation_, Operand::output, drawn_.schedule.out),
                   [&](std::size_t from, std::size_t at) {
                     expected[at] = expected_[from];
                     tolerances[at] = tolerances_[from];
                   });
  for (std::size_t at = 0; at < output.size(); ++at)
    if (!(element_error(output[at], expected[at]) <= tolerances[at]))
      return "output " + std::to_string(at) + " is " + std::to_string(output[at]) + ", expected " +
             std::to_string(expected[at]);
  return "";
}

template <class Number>
std::string Case<Number>::run(Flush flush, const Shifts& shifts) const {
  const ElementType type = types_of(drawn_.problem).output;
  const Guarded input(kernel_.input_size(), flush, type, shifts[0]);
  const Guarded weights(kernel_.weights_size(), flush, type, shifts[1]);
  const Guarded bias(bias_.size(), flush, type, shifts[2]);
  const Guarded residual(residual_.empty() ? 0 : kernel_.output_size(), flush, type, shifts[3]);
  const Guarded output(kernel_.output_size(), flush, type, shifts[4]);
  place(Operand::input, drawn_.schedule.in, input_, input.numbers<Number>());
  place(Operand::weights, Layout::plain, weights_, weights.numbers<Number>());
  std::copy(bias_.begin(), bias_.end(), bias.numbers<Number>().begin());
  place(Operand::output, drawn_.schedule.out, residual_, residual.numbers<Number>());
  const std::span<Number> outputs = output.numbers<Number>();
  place(Operand::output, drawn_.schedule.out, start_, outputs);
  if (start_.empty()) std::fill(outputs.begin(), outputs.end(), kNever);
  const std::span<const Number> plain = weights.numbers<Number>();
  std::optional<Packed> packed;
  if (!drawn_.schedule.takes_plain_weights()) packed.emplace(kernel_.pack_weights(plain));
  kernel_.run(input.numbers<Number>(), packed ? RunWeights(*packed) : RunWeights(plain), outputs,
              {.bias = bias.numbers<Number>(), .residual = residual.numbers<Number>()});
  return first_difference(outputs);
}

template <class Number>
std::optional<std::string> Case<Number>::ask_peer() const {
  if constexpr (!std::is_same_v<Number, float>) {
    return std::nullopt;  // oneDNN is not compared, because it does not compute in f64.
  } else {
    if (!std::holds_alternative<ConvShape>(drawn_.problem)) return std::nullopt;
    std::optional<OnednnPeer> peer;
    try {
      peer.emplace(std::get<ConvShape>(drawn_.problem), weights_);
    } catch (const Error&) {
      return std::nullopt;
    }
    std::vector<float> input(peer->input_size()), output(peer->output_size());
    peer->load_input(input_, input);
    peer->bind(input, output)();
    const Buffer plain = peer->plain_output(output);
    const std::span<const float> sums = plain.span();
    for (std::size_t at = 0; at < sums.size(); ++at)
      if (!(element_error(static_cast<float>(limit(add_epilogue(at, sums[at]))), expected_[at]) <=
            2 * tolerances_[at]))
        return "oneDNN has " + std::to_string(sums[at]) + " for sum " + std::to_string(at);
    return "";
  }
}

template <class Number>
Outcome check_as(const RandomCase& drawn, const Kernel& kernel, Random& random, bool use_peer) {
  const Case<Number> one(drawn, kernel, random);
  Shifts shifts{};
  for (std::size_t& shift : shifts) shift = static_cast<std::size_t>(pick(random, 0, kVector - 1));
  for (const auto& [flush, shifted] :
       {std::pair{Flush::start, shifts}, {Flush::start, Shifts{}}, {Flush::end, Shifts{}}}) {
    const std::string wrong = one.run(flush, shifted);
    if (!wrong.empty()) return {.verdict = Verdict::wrong, .text = wrong};
  }
  const std::optional<std::string> peer = use_peer ? one.ask_peer() : std::nullopt;
  if (peer && !peer->empty()) return {.verdict = Verdict::wrong, .text = *peer};
  return {.verdict = Verdict::right, .text = "", .by_peer = peer.has_value()};
}

}  // namespace

Outcome check(const RandomCase& drawn, Random& random, bool use_peer) {
  std::optional<Kernel> kernel;
  try {
    kernel.emplace(compile_case(drawn));
  } catch (const Error& error) {
    return {.verdict = Verdict::refused, .text = error.what()};
  }
  return types_of(drawn.problem) == ElementType::f64
             ? check_as<double>(drawn, *kernel, random, use_peer)
             : check_as<float>(drawn, *kernel, random, use_peer);
}

}  // namespace tileplan::test
