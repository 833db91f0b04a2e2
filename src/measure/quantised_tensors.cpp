// SPDX-License-Identifier: Apache-2.0
// This file draws zero points and scales, and subtracts zero points from tensors. Scales are
// inversely proportional to the root mean square of sums of random bytes, so that outputs use much
// of their range and few saturate.
#include "quantised_tensors.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compare.h"

namespace tileplan {
namespace {

class NumberSource {
 public:
  explicit NumberSource(std::uint64_t seed) : state_(seed) {}

  /// Returns a random zero point within `spread` of the middle of a type of bytes or, one time in
  /// eight, the smallest or largest number of the type.
  std::int32_t zero_point(ElementType type, std::int32_t spread) {
    constexpr std::uint64_t kExtremes = 8;
    const bool is_signed = type == ElementType::s8;
    const std::int32_t low = is_signed ? -128 : 0, high = low + 255, middle = low + 128;
    const std::uint64_t draw = next_random(state_);
    if (draw % kExtremes == 0) return (draw >> 32) % 2 == 0 ? low : high;
    return middle +
           static_cast<std::int32_t>((draw >> 32) % (2 * static_cast<std::uint64_t>(spread))) -
           spread;
  }

  /// Returns a random number from 0.5 to 1.5.
  float factor() {
    constexpr std::uint64_t kSteps = 1U << 16;
    return 0.5F + static_cast<float>(next_random(state_) % kSteps) / static_cast<float>(kSteps);
  }

 private:
  std::uint64_t state_;
};

std::size_t count_of(Granularity granularity, const Computation& computation) {
  if (granularity == Granularity::none) return 0;
  return granularity == Granularity::tensor
             ? 1
             : static_cast<std::size_t>(bias_layout(computation).elements);
}

/// Returns the elements of `buffer` as s16. From the element at each position, zero_point(position)
/// is subtracted.
template <class ZeroPoint>
Buffer moved(const Buffer& buffer, const ZeroPoint& zero_point) {
  Buffer result(buffer.size(), ElementType::s16);
  auto* const to = result.data<std::int16_t>();
  const auto move = [&](const auto from) {
    for (std::size_t i = 0; i < from.size(); ++i)
      to[i] = static_cast<std::int16_t>(from[i] - zero_point(i));
  };
  buffer.type() == ElementType::u8 ? move(buffer.span<std::uint8_t>())
                                   : move(buffer.span<std::int8_t>());
  return result;
}

/// Returns the column of B to which each of `size` weights belongs, or 0 for gaps.
std::vector<std::size_t> columns_of(const GemmShape& shape, std::size_t size) {
  const std::int64_t matrix = shape.sb.value_or((shape.tb ? shape.n : shape.k) * shape.ldb);
  const std::int64_t row = shape.tb ? 1 : shape.ldb, column = shape.tb ? shape.ldb : 1;
  std::vector<std::size_t> columns(size);
  for (std::int64_t b = 0; b < shape.b; ++b)
    for (std::int64_t k = 0; k < shape.k; ++k)
      for (std::int64_t j = 0; j < shape.n; ++j)
        columns[static_cast<std::size_t>(b * matrix + k * row + j * column)] =
            static_cast<std::size_t>(j);
  return columns;
}

}  // namespace

Requantisation QuantisedNumbers::requantisation() const {
  return {.scales = scales,
          .zero_point = output_zero_point,
          .residual_scale = residual_scale,
          .residual_zero_point = residual_zero_point};
}

QuantisedNumbers quantised_numbers(const Computation& computation, const Quantisation& quantisation,
                                   std::uint64_t seed) {
  constexpr std::int32_t kFar = 64, kNear = 16;
  // These are root mean squares: kByte of random bytes, and kOutput of the outputs that the scales
  // aim at.
  constexpr double kByte = 75, kOutput = 50;
  const ElementType input = computation.tensor(Operand::input).type,
                    output = computation.tensor(Operand::output).type;
  NumberSource source(seed);
  QuantisedNumbers numbers{.weights_type = computation.tensor(Operand::weights).type};
  if (quantisation.input_zero_point) numbers.input_zero_point = source.zero_point(input, kFar);
  numbers.weights_zero_points.resize(count_of(quantisation.weights_zero_points, computation));
  for (std::uint8_t& each : numbers.weights_zero_points)
    each = static_cast<std::uint8_t>(source.zero_point(numbers.weights_type, kNear));
  const double sums = kByte * kByte * std::sqrt(reduction_length(computation));
  numbers.scales.resize(count_of(quantisation.scales, computation));
  for (float& each : numbers.scales) each = source.factor() * static_cast<float>(kOutput / sums);
  if (quantisation.output_zero_point) numbers.output_zero_point = source.zero_point(output, kNear);
  if (!quantisation.scaled_residual) return numbers;
  numbers.residual_scale = source.factor();
  const bool is_byte = output == ElementType::u8 || output == ElementType::s8;
  if (is_byte) numbers.residual_zero_point = source.zero_point(output, kNear);
  return numbers;
}

Buffer moved_input(const Buffer& input, const QuantisedNumbers& numbers) {
  return moved(input, [&](std::size_t) { return numbers.input_zero_point; });
}

Buffer moved_weights(const Computation& computation, const Buffer& weights,
                     const QuantisedNumbers& numbers) {
  const std::vector<std::uint8_t>& points = numbers.weights_zero_points;
  const bool is_conv = std::holds_alternative<ConvShape>(computation.problem);
  const auto channels = static_cast<std::size_t>(bias_layout(computation).elements);
  const std::size_t each = weights.size() / channels;
  const std::vector<std::size_t> columns =
      is_conv ? std::vector<std::size_t>{}
              : columns_of(std::get<GemmShape>(computation.problem), weights.size());
  return moved(weights, [&](std::size_t i) -> std::int32_t {
    if (points.empty()) return 0;
    const std::size_t channel = is_conv ? i / each : columns[i];
    const std::uint8_t point = points[points.size() == 1 ? 0 : channel];
    return numbers.weights_type == ElementType::u8 ? std::int32_t{point}
                                                   : std::int32_t{static_cast<std::int8_t>(point)};
  });
}

}  // namespace tileplan
