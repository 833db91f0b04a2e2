// SPDX-License-Identifier: Apache-2.0
// This file draws random convolutions, values, layouts and epilogues for tests of generated code,
// and makes plans from given schedules.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "activation.h"
#include "integers.h"
#include "tileplan/epilogue.h"
#include "tileplan/plan.h"

namespace tileplan::test {

using Random = std::mt19937;

inline std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

inline std::int64_t pick_divisor(Random& random, std::int64_t n, std::int64_t most) {
  std::vector<std::int64_t> all = divisors(n);
  std::erase_if(all, [&](std::int64_t d) { return d > most; });
  return all[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(all.size()) - 1))];
}

/// Extends the input until at least one window fits, and computes the number of outputs.
inline Axis with_output(Axis axis) {
  const std::int64_t window = (axis.filter - 1) * axis.dilation + 1;
  axis.in = std::max(axis.in, window - axis.pad_before - axis.pad_after);
  axis.out = (axis.in + axis.pad_before + axis.pad_after - window) / axis.stride + 1;
  return axis;
}

/// Draws an axis whose input has at most `longest` elements, or as many as the filter needs.
inline Axis random_axis(Random& random, std::int64_t longest) {
  return with_output({.in = pick(random, 1, longest),
                      .filter = pick(random, 1, 4),
                      .stride = pick(random, 1, 3),
                      .dilation = pick(random, 1, 3),
                      .pad_before = pick(random, 0, 3),
                      .pad_after = pick(random, 0, 3)});
}

/// Draws a short axis for the depth. Returns the default Axis when the drawn one has one input, one
/// tap and no padding.
inline Axis random_depth(Random& random) {
  const Axis depth = with_output({.in = pick(random, 1, 5),
                                  .filter = pick(random, 1, 3),
                                  .stride = pick(random, 1, 2),
                                  .dilation = pick(random, 1, 2),
                                  .pad_before = pick(random, 0, 2)});
  return depth == Axis{.stride = depth.stride, .dilation = depth.dilation} ? Axis{} : depth;
}

/// Returns the dimension along which vectors run: g if each of several groups has one input and one
/// output channel, and k otherwise.
inline const char* vector_dim(const ConvShape& shape) {
  return shape.g > 1 && shape.c == shape.g && shape.k == shape.g ? "g" : "k";
}

/// Draws a convolution with one group, two groups, or one channel per group. A group has at most
/// `most_c` input channels and 40 output channels. The input has at most `longest` rows and
/// columns, or as many as the filter needs.
inline ConvShape random_shape(Random& random, std::int64_t most_c = 24, std::int64_t longest = 20) {
  constexpr std::int64_t kMostK = 40;
  ConvShape shape;
  shape.n = pick(random, 1, 2);
  const std::int64_t kind = pick(random, 0, 3);
  const bool depthwise = kind == 3;
  shape.g = depthwise ? pick(random, 1, kMostK) : kind == 2 ? 2 : 1;
  shape.c = shape.g * (depthwise ? 1 : pick(random, 1, most_c));
  shape.k = shape.g * (depthwise ? 1 : pick(random, 1, kMostK));
  if (pick(random, 0, 3) == 0) shape.depth = random_depth(random);
  shape.height = random_axis(random, longest);
  shape.width = random_axis(random, longest);
  return shape;
}

inline Machine toy_machine(Isa isa) {
  Machine machine{.name = "toy"};
  machine.vector = {.isa = isa, .lanes = isa == Isa::avx512 ? 16 : 8};
  machine.vector.registers = isa == Isa::avx2 ? 16 : 32;
  if (isa == Isa::avx512) machine.narrow = {{.isa = Isa::avx512vl, .lanes = 8}};
  return machine;
}

inline Plan plan_for(const Problem& problem, const Schedule& schedule, Isa isa) {
  Plan plan{.problem = problem, .machine = toy_machine(isa)};
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  return plan;
}

/// Draws numbers. Real ones are in [-1, 1]. Floats have few significant bits. Doubles have more
/// bits than a float can hold. Integers are in [-1000, 1000], so that no sum of a small problem
/// wraps.
template <class Number>
std::vector<Number> random_numbers(Random& random, std::size_t count) {
  constexpr std::int64_t kUnit = std::int64_t{1} << (std::is_same_v<Number, float> ? 6 : 40);
  std::vector<Number> values(count);
  if constexpr (std::is_integral_v<Number>) {
    for (Number& value : values) value = static_cast<Number>(pick(random, -1000, 1000));
    return values;
  }
  for (Number& value : values)
    value = static_cast<Number>(pick(random, -kUnit, kUnit)) / static_cast<Number>(kUnit);
  return values;
}

inline std::vector<float> random_floats(Random& random, std::size_t count) {
  return random_numbers<float>(random, count);
}

/// Returns `usual` in three of four cases, and otherwise a random multiple of 1/4 from -9/4 to 9/4.
inline double random_factor(Random& random, double usual) {
  return pick(random, 0, 3) > 0 ? usual : static_cast<double>(pick(random, -9, 9)) / 4;
}

/// Returns the terms alpha * sum and beta * start. With beta = 0, a NaN in `start` is ignored.
inline std::pair<double, double> scaled_terms(const Epilogue& epilogue, double sum, double start) {
  return {epilogue.alpha * sum, epilogue.beta == 0 ? 0 : epilogue.beta * start};
}

/// Draws an activation, or none in half of the cases.
inline Activation random_activation(Random& random) {
  switch (pick(random, 0, 9)) {
    case 0:
      return {ActivationKind::leaky, static_cast<double>(pick(random, -4, 10)) / 8};
    case 1:
      return {.kind = ActivationKind::sigmoid};
    case 2:
      return {.kind = ActivationKind::silu};
    case 3:
      return {ActivationKind::hard_sigmoid, 0.25, 0.375};
    case 4:
      return parse_epilogue("hard-swish").activation;
    default:
      return {};
  }
}

/// Applies the activation and the limits of the epilogue to `sum`, to which bias and residual were
/// added.
inline double finished(const Epilogue& epilogue, double sum) {
  return std::min(std::max(activated(epilogue.activation, sum), epilogue.low), epilogue.high);
}

/// Draws an epilogue. Bias, residual, activation and each limit occur with probability 1/2. Alpha
/// is 1, and beta is 0 or 1, unless random_factor() draws another number. The limits are close to
/// 0, so that they can clamp outputs.
inline Epilogue random_epilogue(Random& random) {
  Epilogue epilogue{.alpha = random_factor(random, 1),
                    .beta = random_factor(random, pick(random, 0, 1) == 1 ? 1 : 0),
                    .bias = pick(random, 0, 1) == 1,
                    .add = pick(random, 0, 1) == 1};
  const std::int64_t limits = pick(random, 0, 3);
  if (limits == 1 || limits == 3) epilogue.low = static_cast<double>(pick(random, -8, 4)) / 8;
  if (limits >= 2) epilogue.high = static_cast<double>(pick(random, 4, 16)) / 8;
  epilogue.activation = random_activation(random);
  return epilogue;
}

/// Returns `epilogue`, in which factors and activations that kernels of `types` do not accept are
/// replaced.
inline Epilogue with_factors_for(const TensorTypes& types, Epilogue epilogue) {
  const ElementType sums = accumulator_of(types);
  if (types.output != sums) epilogue.beta = 0;
  const ActivationKind kind = epilogue.activation.kind;
  const bool is_exponential = kind == ActivationKind::sigmoid || kind == ActivationKind::silu;
  if (types.output != sums || is_integer(sums) || (is_exponential && sums != ElementType::f32))
    epilogue.activation = {};
  if (!is_integer(sums)) return epilogue;
  epilogue.alpha = 1;
  epilogue.beta = epilogue.beta == 0 ? 0 : 1;
  return epilogue;
}

/// Draws a layout that kernels of `isa` can read and write. A block holds as many channels as a
/// vector has lanes. The vectors of AVX2 and avx512vl hold 4 doubles, for which there is no blocked
/// layout.
inline Layout random_layout(Random& random, Isa isa, ElementType type = ElementType::f32) {
  const bool wide = isa == Isa::avx512, is_double = type == ElementType::f64;
  const Layout blocked = wide && !is_double ? Layout::nChw16c : Layout::nChw8c;
  const Layout layouts[] = {Layout::nhwc, Layout::nchw, blocked};
  return layouts[pick(random, 0, is_double && !wide ? 1 : 2)];
}

/// Returns true if `error` says that a layout does not fit the shape or the tiles.
inline bool says_layout_does_not_fit(const std::string& error) {
  return error.find("block") != std::string::npos || error.find("nChw") != std::string::npos;
}

}  // namespace tileplan::test
