// SPDX-License-Identifier: Apache-2.0
// Computes convolutions straight from their definition, for tests of generated code. It shares
// nothing with the library but shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan::test {

/// Returns the input index that output `out` and tap `tap` read along `axis`; nothing in the
/// padding.
inline std::optional<std::int64_t> input_index(const Axis& axis, std::int64_t out,
                                               std::int64_t tap) {
  const std::int64_t index = out * axis.stride + tap * axis.dilation - axis.pad_before;
  if (index < 0 || index >= axis.in) return std::nullopt;
  return index;
}

/// Channel and pixel of one output.
struct OutputAt {
  std::int64_t n = 0, k = 0, d = 0, h = 0, w = 0;
};

/// Sums of floats are computed in double, those of doubles in long double.
template <class Number>
using SumOf = std::conditional_t<std::is_same_v<Number, double>, long double, double>;

template <class Number>
double plain_sum(const ConvShape& shape, const std::vector<Number>& input,
                 const std::vector<Number>& weights, const OutputAt& at) {
  const Axis &D = shape.depth, &H = shape.height, &W = shape.width;
  const std::int64_t cg = shape.c / shape.g, kg = shape.k / shape.g;
  SumOf<Number> sum = 0;
  for (std::int64_t c = 0; c < cg; ++c)
    for (std::int64_t t = 0; t < D.filter; ++t)
      for (std::int64_t r = 0; r < H.filter; ++r)
        for (std::int64_t s = 0; s < W.filter; ++s) {
          const auto z = input_index(D, at.d, t), y = input_index(H, at.h, r),
                     x = input_index(W, at.w, s);
          if (!z || !y || !x) continue;
          const std::int64_t channel = at.n * shape.c + at.k / kg * cg + c;
          sum +=
              static_cast<SumOf<Number>>(input[((channel * D.in + *z) * H.in + *y) * W.in + *x]) *
              weights[(((at.k * cg + c) * D.filter + t) * H.filter + r) * W.filter + s];
        }
  return static_cast<double>(sum);
}

/// Returns the output in [n][k][d][h][w] order from input [n][c][z][y][x] and weights
/// [k][c/g][t][r][s], sums in SumOf<Number>.
template <class Number>
std::vector<double> plain_conv(const ConvShape& shape, const std::vector<Number>& input,
                               const std::vector<Number>& weights) {
  std::vector<double> output;
  for (std::int64_t n = 0; n < shape.n; ++n)
    for (std::int64_t k = 0; k < shape.k; ++k)
      for (std::int64_t d = 0; d < shape.depth.out; ++d)
        for (std::int64_t h = 0; h < shape.height.out; ++h)
          for (std::int64_t w = 0; w < shape.width.out; ++w)
            output.push_back(plain_sum(shape, input, weights, {n, k, d, h, w}));
  return output;
}

}  // namespace tileplan::test
