// SPDX-License-Identifier: Apache-2.0
// The loops are simple enough for compilers to vectorise them, and exist for AVX2 and for AVX-512.
#include "output_conversion.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "element.h"
#include "widen.h"

namespace tileplan {
namespace {

/// Rows are converted in pieces of kMost elements, then in pieces of 16 and 8 elements, which are
/// the lengths of rows in nChw16c and nChw8c. The rest of a row is the last piece.
constexpr std::int64_t kMost = 64, kSixteen = 16, kEight = 8;

/// Holds the numbers that all elements of a row share.
struct RowNumbers {
  /// Results are clamped to these limits. For integers, the limits keep them in the range of the
  /// output's type after the zero point is added.
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

/// Points to the elements of one row or of joined rows (joined_rows()). `scales` is null when all
/// elements have RowNumbers::scale.
template <class Sum, class Output>
struct Row {
  const Sum* sums;
  const Output* residual;
  const float* scales;
  Output* output;
  std::int64_t count;
};

/// Converts `count` elements of a row, at most kMost, from element `first` on. Local arrays tell
/// compilers that the output overlaps with nothing.
template <bool kScales, bool kResidual, class Sum, class Output>
[[gnu::always_inline]] inline void convert_lanes(const RowNumbers& numbers,
                                                 const Row<Sum, Output>& row, std::int64_t first,
                                                 std::int64_t count) {
  std::array<float, kMost> values;
  std::array<Output, kMost> results;
  for (std::int64_t i = 0; i < count; ++i)
    values[i] =
        static_cast<float>(row.sums[first + i]) * (kScales ? row.scales[first + i] : numbers.scale);
  if constexpr (kResidual)
    for (std::int64_t i = 0; i < count; ++i)
      values[i] += (static_cast<float>(row.residual[first + i]) - numbers.residual_zero_point) *
                   numbers.residual_scale;
  for (std::int64_t i = 0; i < count; ++i) {
    // These comparisons keep NaN, which does not occur in sums of integers.
    float value = values[i];
    value = value < numbers.low ? numbers.low : value;
    value = value > numbers.high ? numbers.high : value;
    if constexpr (std::is_same_v<Output, F16>)
      values[i] = value;
    else
      results[i] = rounded<Output>(value, numbers.zero_point);
  }
  if constexpr (std::is_same_v<Output, F16>) narrow(values.data(), results.data(), count);
  std::copy_n(results.begin(), count, row.output + first);
}

template <bool kScales, bool kResidual, class Sum, class Output>
[[gnu::always_inline]] inline void convert_elements(const RowNumbers numbers,
                                                    const Row<Sum, Output> row) {
  std::int64_t i = 0;
  for (; i + kMost <= row.count; i += kMost)
    convert_lanes<kScales, kResidual>(numbers, row, i, kMost);
  for (; i + kSixteen <= row.count; i += kSixteen)
    convert_lanes<kScales, kResidual>(numbers, row, i, kSixteen);
  for (; i + kEight <= row.count; i += kEight)
    convert_lanes<kScales, kResidual>(numbers, row, i, kEight);
  convert_lanes<kScales, kResidual>(numbers, row, i, row.count - i);
}

template <class Sum, class Output>
[[gnu::always_inline]] inline void convert_row(const RowNumbers& numbers,
                                               const Row<Sum, Output>& row) {
  if (row.scales != nullptr)
    row.residual != nullptr ? convert_elements<true, true>(numbers, row)
                            : convert_elements<true, false>(numbers, row);
  else
    row.residual != nullptr ? convert_elements<false, true>(numbers, row)
                            : convert_elements<false, false>(numbers, row);
}

/// Returns how many rows from that of `walk` on are converted as one: complete rows of equal
/// channels that follow each other, at most `left` rows that have at most kMost elements together.
/// Longer and incomplete rows are converted one by one.
[[gnu::always_inline]] inline std::int64_t joined_rows(const OutputRows& rows, const RowWalk& walk,
                                                       std::int64_t left) {
  if (walk.real_length() < rows.length || rows.length > kMost) return 1;
  return std::min({kMost / rows.length, left, walk.rows_of_these_channels()});
}

/// Holds the scales of joined rows.
struct RepeatedScales {
  std::array<float, kMost> values;

  [[gnu::always_inline]] const float* repeat(const float* scales, std::int64_t count,
                                             std::int64_t times) {
    if (times == 1) return scales;
    for (std::int64_t i = 0; i < times; ++i) std::copy_n(scales, count, &values[i * count]);
    return values.data();
  }
};

template <class Sum, class Output>
[[gnu::always_inline]] inline void convert(const OutputRows& rows, RowNumbers numbers,
                                           const ConvertedTensors& tensors, TaskRange range) {
  const auto* const sums = reinterpret_cast<const Sum*>(tensors.sums);
  const auto* const residual = reinterpret_cast<const Output*>(tensors.residual);
  auto* const output = reinterpret_cast<Output*>(tensors.output);
  const bool spread = tensors.has_channel_scales && !rows.one_channel;
  RepeatedScales repeated;
  RowWalk walk(rows, range.first);
  for (std::int64_t row = range.first; row < range.last;) {
    const std::int64_t at = walk.start(), real = walk.real_length();
    const std::int64_t joined = joined_rows(rows, walk, range.last - row);
    const float* const scales = tensors.scales + walk.first_channel();
    if (tensors.has_channel_scales && rows.one_channel) numbers.scale = *scales;
    convert_row(numbers, Row<Sum, Output>{sums + at, residual == nullptr ? nullptr : residual + at,
                                          spread ? repeated.repeat(scales, real, joined) : nullptr,
                                          output + at, joined * real});
    if (rows.clears_rest) std::fill(output + at + real, output + at + rows.length, Output{});
    walk.advance(joined);
    row += joined;
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

template <class Sum, class Output>
void convert_to(const OutputConversion& conversion, const ConvertedTensors& tensors,
                TaskRange range) {
  const auto numbers = numbers_of<Output>(conversion.epilogue, tensors);
  has_avx512() ? convert_avx512<Sum, Output>(conversion.rows, numbers, tensors, range)
               : convert_avx2<Sum, Output>(conversion.rows, numbers, tensors, range);
}

[[gnu::always_inline]] inline void finish_rows(const OutputConversion& conversion,
                                               const ConvertedTensors& tensors, TaskRange range) {
  const auto low = nearest<std::int32_t>(conversion.epilogue.low);
  const auto high = nearest<std::int32_t>(conversion.epilogue.high);
  const auto* const residual = reinterpret_cast<const std::uint32_t*>(tensors.residual);
  auto* const sums = reinterpret_cast<std::uint32_t*>(tensors.sums);
  RowWalk walk(conversion.rows, range.first);
  for (std::int64_t row = range.first; row < range.last; ++row, walk.advance()) {
    std::uint32_t* const to = sums + walk.start();
    const std::uint32_t* const from = residual == nullptr ? nullptr : residual + walk.start();
    const std::int64_t count = walk.real_length();
    for (std::int64_t i = 0; i < count; ++i) {
      const auto sum = static_cast<std::int32_t>(from == nullptr ? to[i] : to[i] + from[i]);
      to[i] = static_cast<std::uint32_t>(std::min(std::max(sum, low), high));
    }
  }
}

[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] void finish_avx512(
    const OutputConversion& conversion, const ConvertedTensors& tensors, TaskRange range) {
  finish_rows(conversion, tensors, range);
}

[[gnu::target("avx2,fma")]] void finish_avx2(const OutputConversion& conversion,
                                             const ConvertedTensors& tensors, TaskRange range) {
  finish_rows(conversion, tensors, range);
}

/// Adds the residual, if any, to sums that already are the output, and clamps the results.
void finish_sums(const OutputConversion& conversion, const ConvertedTensors& tensors,
                 TaskRange range) {
  has_avx512() ? finish_avx512(conversion, tensors, range)
               : finish_avx2(conversion, tensors, range);
}

}  // namespace

bool has_avx512() {
  static const bool has =
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  return has;
}

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
