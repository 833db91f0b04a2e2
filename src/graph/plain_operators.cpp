// SPDX-License-Identifier: Apache-2.0
// This file computes unary operators, pools, LRN, Softmax and means with loops that follow their
// definitions.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "elementwise.h"
#include "operators.h"
#include "plain_graph.h"
#include "softmax_lists.h"

namespace tileplan {

Limits limits_of(const NodeView& node) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {static_cast<float>(node.real("low", -kInfinity)),
          static_cast<float>(node.real("high", kInfinity))};
}

Limits clip_limits(const NodeView& node) {
  Limits limits;
  if (node.kind() == "Relu") {
    limits.low = 0;
    return limits;
  }
  const auto limit = [&](std::size_t input, const char* name, float open) {
    const auto numbers = node.reals_at(input);
    if (!numbers) return static_cast<float>(node.real(name, open));
    node.require(
        numbers->size() == 1,
        std::string(name) + " has " + std::to_string(numbers->size()) + " numbers; must have one");
    return static_cast<float>(numbers->front());
  };
  limits.low = limit(1, "min", limits.low);
  limits.high = limit(2, "max", limits.high);
  if (!(limits.low <= limits.high))
    throw NotUnderstood{"limits that are NaN or in the wrong order"};
  return limits;
}

Activation activation_of(const NodeView& node) {
  return parse_epilogue(node.text("activation", "none")).activation;
}

namespace {

/// Returns the decimal number with the fewest digits that rounds to `number` in f32.
double shortest_decimal(float number) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  double value = 0;
  std::from_chars(text, end, value);
  return value;
}

}  // namespace

Activation unary_activation(const NodeView& node) {
  const std::string& kind = node.kind();
  if (kind == "Sigmoid") return {.kind = ActivationKind::sigmoid};
  if (kind == "HardSwish") return parse_epilogue("hard-swish").activation;
  if (kind != "LeakyRelu" && kind != "HardSigmoid" && kind != "Swish") return {};
  const Unary rule(node);
  const double alpha = shortest_decimal(rule.alpha()), beta = shortest_decimal(rule.beta());
  if (kind == "LeakyRelu") return {.kind = ActivationKind::leaky, .alpha = alpha};
  if (kind == "HardSigmoid")
    return {.kind = ActivationKind::hard_sigmoid, .alpha = alpha, .beta = beta};
  if (kind == "Swish" && alpha == 1) return {.kind = ActivationKind::silu};
  return {};
}

Unary::Unary(const NodeView& node) {
  const std::string& kind = node.kind();
  constexpr std::array kRules{std::pair{"LeakyRelu", Rule::leaky},
                              std::pair{"Sigmoid", Rule::sigmoid},
                              std::pair{"HardSigmoid", Rule::hard_sigmoid},
                              std::pair{"HardSwish", Rule::hard_swish},
                              std::pair{"Swish", Rule::swish},
                              std::pair{"Tanh", Rule::tanh},
                              std::pair{"Exp", Rule::exp},
                              std::pair{"Neg", Rule::neg},
                              std::pair{"Sqrt", Rule::sqrt},
                              std::pair{"Abs", Rule::abs},
                              std::pair{"Erf", Rule::erf}};
  for (const auto& [name, rule] : kRules)
    if (kind == name) rule_ = rule;
  if (rule_ == Rule::clamp) limits_ = clip_limits(node);
  const bool is_leaky = rule_ == Rule::leaky;
  constexpr double kLeak = 0.01, kSlope = 0.2, kMiddle = 0.5, kSixth = 1.0 / 6;
  alpha_ = static_cast<float>(node.real("alpha", is_leaky ? kLeak : kSlope));
  beta_ = static_cast<float>(node.real("beta", kMiddle));
  if (rule_ == Rule::hard_swish) alpha_ = static_cast<float>(kSixth);
  if (rule_ == Rule::swish) alpha_ = static_cast<float>(node.real("alpha", 1));
}

void Unary::run(std::size_t count, const float* from, float* to) const {
  const auto each = [&](auto&& function) {
    for (std::size_t i = 0; i < count; ++i) to[i] = function(from[i]);
  };
  const auto hard = [a = alpha_, b = beta_](float x) {
    return std::max(0.0F, std::min(1.0F, a * x + b));
  };
  switch (rule_) {
    case Rule::clamp:
      return each([limits = limits_](float x) { return limits.clamp(x); });
    case Rule::leaky:
      return each([a = alpha_](float x) { return x < 0 ? a * x : x; });
    case Rule::sigmoid:
      return each([](float x) { return 1 / (1 + std::exp(-x)); });
    case Rule::hard_sigmoid:
      return each(hard);
    case Rule::hard_swish:
      return each([&](float x) { return x * hard(x); });
    case Rule::swish:
      return each([a = alpha_](float x) { return x / (1 + std::exp(-a * x)); });
    case Rule::tanh:
      return each([](float x) { return std::tanh(x); });
    case Rule::exp:
      return each([](float x) { return std::exp(x); });
    case Rule::neg:
      return each([](float x) { return -x; });
    case Rule::sqrt:
      return each([](float x) { return std::sqrt(x); });
    case Rule::abs:
      return each([](float x) { return std::abs(x); });
    case Rule::erf:
      return each([](float x) { return std::erf(x); });
  }
}

namespace {

/// Computes the average or the largest number of one window of a pool.
class Window {
 public:
  Window(const NodeView& node, const Axis& height, const Axis& width)
      : height_(height),
        width_(width),
        is_max_(node.kind() == "MaxPool"),
        counts_padding_(node.integer("count_include_pad", 0) != 0) {}

  float at(const float* plane, std::int64_t h, std::int64_t w) const {
    Sum sum;
    for (std::int64_t r = 0; r < height_.filter; ++r)
      for (std::int64_t s = 0; s < width_.filter; ++s)
        add(sum, plane, h * height_.stride - height_.pad_before + r * height_.dilation,
            w * width_.stride - width_.pad_before + s * width_.dilation);
    return is_max_ ? sum.largest : static_cast<float>(sum.numbers / static_cast<double>(sum.taps));
  }

 private:
  struct Sum {
    double numbers = 0;
    float largest = -std::numeric_limits<float>::infinity();
    std::int64_t taps = 0;
  };

  /// Adds the number in row `y` and column `x`, which may lie in the padding.
  void add(Sum& sum, const float* plane, std::int64_t y, std::int64_t x) const {
    const bool inside = y >= 0 && y < height_.in && x >= 0 && x < width_.in;
    const bool padded = y < height_.in + height_.pad_after && x < width_.in + width_.pad_after;
    sum.taps += inside || (counts_padding_ && padded) ? 1 : 0;
    if (!inside) return;
    const float value = plane[y * width_.in + x];
    sum.numbers += value;
    sum.largest = value > sum.largest || std::isnan(value) ? value : sum.largest;
  }

  Axis height_, width_;
  bool is_max_, counts_padding_;
};

}  // namespace

std::vector<float> plain_pool(const NodeView& node, const std::vector<float>& in) {
  std::vector<Axis> axes = windows_of(node, pool_window(node));
  if (axes.size() == 1) axes.insert(axes.begin(), Axis{});
  const Axis &height = axes[0], &width = axes[1];
  const Window window(node, height, width);
  std::vector<float> out(static_cast<std::size_t>(elements_of(node.out_shape())));
  const std::int64_t planes = node.shape(0)[0] * node.shape(0)[1];
  std::size_t next = 0;
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int64_t h = 0; h < height.out; ++h)
      for (std::int64_t w = 0; w < width.out; ++w)
        out[next++] = window.at(in.data() + plane * height.in * width.in, h, w);
  return out;
}

std::vector<float> plain_lrn(const NodeView& node, const std::vector<float>& in) {
  const Extents& shape = node.shape(0);
  const std::int64_t channels = shape[1], inner = elements_of({shape.begin() + 2, shape.end()}),
                     size = node.integer("size", 1);
  const double alpha = node.real("alpha", 1e-4), beta = node.real("beta", 0.75),
               bias = node.real("bias", 1);
  std::vector<float> out(in.size());
  for (std::int64_t i = 0; i < std::ssize(in); ++i) {
    const std::int64_t c = i / inner % channels;
    const std::int64_t first = std::max<std::int64_t>(0, c - (size - 1) / 2),
                       last = std::min(channels - 1, c + size / 2);
    double squares = 0;
    for (std::int64_t each = first; each <= last; ++each) {
      const double value = in[static_cast<std::size_t>(i + (each - c) * inner)];
      squares += value * value;
    }
    const double scale = std::pow(bias + alpha / static_cast<double>(size) * squares, -beta);
    out[static_cast<std::size_t>(i)] = static_cast<float>(in[static_cast<std::size_t>(i)] * scale);
  }
  return out;
}

std::vector<float> plain_softmax(const NodeView& node, const std::vector<float>& in) {
  const SoftmaxLists all = softmax_lists(node);
  std::vector<float> out(in.size());
  if (in.empty()) return out;
  for (std::int64_t list = 0; list < all.lists; ++list) {
    const auto at = [&](std::int64_t j) {
      return static_cast<std::size_t>(all.first(list) + j * all.step);
    };
    float largest = in[at(0)];
    for (std::int64_t j = 1; j < all.count; ++j) largest = std::max(largest, in[at(j)]);
    double sum = 0;
    for (std::int64_t j = 0; j < all.count; ++j)
      sum += std::exp(static_cast<double>(in[at(j)] - largest));
    for (std::int64_t j = 0; j < all.count; ++j)
      out[at(j)] = static_cast<float>(std::exp(static_cast<double>(in[at(j)] - largest)) / sum);
  }
  return out;
}

std::vector<float> plain_mean(const NodeView& node, const std::vector<float>& in) {
  const Extents &shape = node.shape(0), kept = mean_shape(node);
  const Extents from = row_major(shape), to = row_major(kept);
  std::vector<double> sums(static_cast<std::size_t>(elements_of(kept)));
  for (std::int64_t i = 0; i < std::ssize(in); ++i) {
    std::int64_t place = 0;
    for (std::size_t a = 0; a < shape.size(); ++a)
      if (kept[a] > 1) place += i / from[a] % shape[a] * to[a];
    sums[static_cast<std::size_t>(place)] += in[static_cast<std::size_t>(i)];
  }
  const double count = static_cast<double>(in.size()) / static_cast<double>(sums.size());
  std::vector<float> out(sums.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<float>(sums[i] / count);
  return out;
}

}  // namespace tileplan
