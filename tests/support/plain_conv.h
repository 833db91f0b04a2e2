// SPDX-License-Identifier: Apache-2.0
// This file computes convolutions by their definition. The code shares only shapes with the
// library.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan::test {

/// Returns the index of the input element that tap `tap` multiplies for output `out`, or nothing if
/// this element is in the padding.
inline std::optional<std::int64_t> input_index(const Axis& axis, std::int64_t out,
                                               std::int64_t tap) {
  const std::int64_t index = out * axis.stride + tap * axis.dilation - axis.pad_before;
  if (index < 0 || index >= axis.in) return std::nullopt;
  return index;
}

/// Names the type of sums: long double for doubles, and double for all other numbers.
template <class Number>
using SumOf = std::conditional_t<std::is_same_v<Number, double>, long double, double>;

/// Returns the output in [n][k][d][h][w] order. The input has the order [n][c][z][y][x], and the
/// weights have the order [k][c/g][t][r][s].
template <class Number>
std::vector<double> plain_conv(const ConvShape& shape, const std::vector<Number>& input,
                               const std::vector<Number>& weights) {
  const Axis &D = shape.depth, &H = shape.height, &W = shape.width;
  const std::int64_t cg = shape.c / shape.g, kg = shape.k / shape.g;
  const auto sum_at = [&](std::int64_t out) {
    const std::int64_t w = out % W.out, h = out / W.out % H.out, d = out / (W.out * H.out) % D.out;
    const std::int64_t nk = out / (W.out * H.out * D.out), n = nk / shape.k, k = nk % shape.k;
    SumOf<Number> sum = 0;
    for (std::int64_t c = 0; c < cg; ++c)
      for (std::int64_t t = 0; t < D.filter; ++t)
        for (std::int64_t r = 0; r < H.filter; ++r)
          for (std::int64_t s = 0; s < W.filter; ++s) {
            const auto z = input_index(D, d, t), y = input_index(H, h, r), x = input_index(W, w, s);
            if (!z || !y || !x) continue;
            const std::int64_t channel = n * shape.c + k / kg * cg + c;
            sum +=
                static_cast<SumOf<Number>>(input[((channel * D.in + *z) * H.in + *y) * W.in + *x]) *
                weights[(((k * cg + c) * D.filter + t) * H.filter + r) * W.filter + s];
          }
    return static_cast<double>(sum);
  };
  std::vector<double> output(shape.n * shape.k * D.out * H.out * W.out);
  for (std::size_t out = 0; out < output.size(); ++out)
    output[out] = sum_at(static_cast<std::int64_t>(out));
  return output;
}

}  // namespace tileplan::test
