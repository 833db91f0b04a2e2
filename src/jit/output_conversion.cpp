// SPDX-License-Identifier: Apache-2.0
// The loops are simple enough for compilers to use vectors of the widest registers.
#include "output_conversion.h"

#include <algorithm>
#include <limits>

#include "element.h"

namespace tileplan {
namespace {

/// Holds the numbers that all elements of a row share.
struct RowNumbers {
  /// Results are clamped to these limits, which keep them in the range of the output's type after
  /// the zero point is added.
  float low = 0, high = 0;
  float scale = 1, residual_scale = 1, residual_zero_point = 0;
  std::int32_t zero_point = 0;
};

template <class Output>
RowNumbers numbers_of(const Epilogue& epilogue, const ConvertedTensors& tensors) {
  double low = epilogue.low, high = epilogue.high;
  if constexpr (!kIsReal<Output>) {
    const double least = double{std::numeric_limits<Output>::min()} - tensors.zero_point;
    const double most = double{std::numeric_limits<Output>::max()} - tensors.zero_point;
    low = std::clamp(low, least, most);
    high = std::clamp(high, least, most);
  }
  return {.low = static_cast<float>(low),
          .high = static_cast<float>(high),
          .scale = tensors.scales[0],
          .residual_scale = tensors.residual_scale,
          .residual_zero_point = static_cast<float>(tensors.residual_zero_point),
          .zero_point = tensors.zero_point};
}

template <class Output>
[[gnu::always_inline]] inline Output rounded(float value, std::int32_t zero_point) {
  if constexpr (kIsReal<Output>) {
    return static_cast<Output>(value);
  } else {
    // Adding 1.5 * 2^23 leaves no bits for fractions, so the addition rounds to nearest even.
    constexpr float kShift = 12582912.0F;
    return static_cast<Output>(static_cast<std::int32_t>(value + kShift - kShift) + zero_point);
  }
}

/// Points to the elements of one row. `scales` is null where all have RowNumbers::scale.
template <class Sum, class Output>
struct Row {
  const Sum* sums;
  const Output* residual;
  const float* scales;
  Output* output;
  std::int64_t count;
};

template <class Sum, class Output>
[[gnu::always_inline]] inline void convert_row(const RowNumbers numbers,
                                               const Row<Sum, Output> row) {
  for (std::int64_t i = 0; i < row.count; ++i) {
    auto value = static_cast<float>(row.sums[i]);
    value *= row.scales != nullptr ? row.scales[i] : numbers.scale;
    if (row.residual != nullptr)
      value += (static_cast<float>(row.residual[i]) - numbers.residual_zero_point) *
               numbers.residual_scale;
    // These comparisons keep NaN, which does not occur in sums of integers.
    value = value < numbers.low ? numbers.low : value;
    value = value > numbers.high ? numbers.high : value;
    row.output[i] = rounded<Output>(value, numbers.zero_point);
  }
}

template <class Sum, class Output>
[[gnu::always_inline]] inline void convert(const OutputRows& rows, RowNumbers numbers,
                                           const ConvertedTensors& tensors, TaskRange range) {
  const auto* const sums = reinterpret_cast<const Sum*>(tensors.sums);
  const auto* const residual = reinterpret_cast<const Output*>(tensors.residual);
  auto* const output = reinterpret_cast<Output*>(tensors.output);
  for (std::int64_t row = range.first; row < range.last; ++row) {
    const std::int64_t at = start_of(rows, row), real = real_length(rows, row);
    const float* const scales = tensors.scales + first_channel(rows, row);
    const bool spread = tensors.has_channel_scales && !rows.one_channel;
    if (tensors.has_channel_scales && rows.one_channel) numbers.scale = *scales;
    convert_row(numbers, Row<Sum, Output>{sums + at, residual == nullptr ? nullptr : residual + at,
                                          spread ? scales : nullptr, output + at, real});
    if (rows.clears_rest) std::fill(output + at + real, output + at + rows.length, Output{});
  }
}

template <class Sum, class Output>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void convert_avx512(
    const OutputRows& rows, const RowNumbers& numbers, const ConvertedTensors& tensors,
    TaskRange range) {
  convert<Sum, Output>(rows, numbers, tensors, range);
}

template <class Sum, class Output>
[[gnu::target("avx2,fma")]] void convert_avx2(const OutputRows& rows, const RowNumbers& numbers,
                                              const ConvertedTensors& tensors, TaskRange range) {
  convert<Sum, Output>(rows, numbers, tensors, range);
}

bool has_avx512() {
  static const bool has =
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  return has;
}

template <class Sum, class Output>
void convert_to(const OutputConversion& conversion, const ConvertedTensors& tensors,
                TaskRange range) {
  const auto numbers = numbers_of<Output>(conversion.epilogue, tensors);
  has_avx512() ? convert_avx512<Sum, Output>(conversion.rows, numbers, tensors, range)
               : convert_avx2<Sum, Output>(conversion.rows, numbers, tensors, range);
}

/// Adds the residual to sums that already are the output, and clamps the results.
void finish_sums(const OutputConversion& conversion, const ConvertedTensors& tensors,
                 TaskRange range) {
  const OutputRows& rows = conversion.rows;
  const auto low = nearest<std::int32_t>(conversion.epilogue.low);
  const auto high = nearest<std::int32_t>(conversion.epilogue.high);
  const auto* const residual = reinterpret_cast<const std::uint32_t*>(tensors.residual);
  auto* const sums = reinterpret_cast<std::uint32_t*>(tensors.sums);
  for (std::int64_t row = range.first; row < range.last; ++row) {
    const std::int64_t first = start_of(rows, row);
    for (std::int64_t i = first; i < first + real_length(rows, row); ++i) {
      if (residual != nullptr) sums[i] += residual[i];
      sums[i] =
          static_cast<std::uint32_t>(std::clamp(static_cast<std::int32_t>(sums[i]), low, high));
    }
  }
}

}  // namespace

StoreConversion store_conversion(const OutputConversion& conversion,
                                 const ConvertedTensors& tensors, const char* bias) {
  return with_element(conversion.output, [&](auto zero) {
    const auto numbers = numbers_of<decltype(zero)>(conversion.epilogue, tensors);
    const auto distance =
        reinterpret_cast<std::intptr_t>(tensors.scales) - reinterpret_cast<std::intptr_t>(bias);
    return StoreConversion{.output = tensors.output,
                           .scales = distance,
                           .scale = numbers.scale,
                           .low = numbers.low,
                           .high = numbers.high,
                           .zero_point = numbers.zero_point};
  });
}

void convert_outputs(const OutputConversion& conversion, const ConvertedTensors& tensors,
                     TaskRange range) {
  if (conversion.in_place()) return finish_sums(conversion, tensors, range);
  with_element(conversion.output, [&](auto zero) {
    using Output = decltype(zero);
    conversion.sums == ElementType::s32
        ? convert_to<std::int32_t, Output>(conversion, tensors, range)
        : convert_to<float, Output>(conversion, tensors, range);
  });
}

}  // namespace tileplan
