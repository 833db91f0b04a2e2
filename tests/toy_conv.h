// SPDX-License-Identifier: Apache-2.0
// A convolution straight from its definition, for tests of generated code. Shares nothing with the
// library but shapes.
#pragma once

#include <cstdint>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan::test {

/// Output in [n][k][h][w] order from input [n][c][y][x] and weights [k][c/g][r][s], double
/// accumulation.
inline std::vector<double> plain_conv(const ConvShape& shape, const std::vector<float>& input,
                                      const std::vector<float>& weights) {
  const Axis &H = shape.height, &W = shape.width;
  const std::int64_t cg = shape.c / shape.g, kg = shape.k / shape.g;
  std::vector<double> output(static_cast<std::size_t>(shape.n * shape.k * H.out * W.out), 0.0);
  std::size_t at = 0;
  for (std::int64_t n = 0; n < shape.n; ++n)
    for (std::int64_t k = 0; k < shape.k; ++k)
      for (std::int64_t h = 0; h < H.out; ++h)
        for (std::int64_t w = 0; w < W.out; ++w, ++at)
          for (std::int64_t c = 0; c < cg; ++c)
            for (std::int64_t r = 0; r < H.filter; ++r)
              for (std::int64_t s = 0; s < W.filter; ++s) {
                const std::int64_t y = h * H.stride + r * H.dilation - H.pad_before;
                const std::int64_t x = w * W.stride + s * W.dilation - W.pad_before;
                if (y < 0 || y >= H.in || x < 0 || x >= W.in) continue;
                const std::int64_t channel = k / kg * cg + c;
                output[at] +=
                    static_cast<double>(input[((n * shape.c + channel) * H.in + y) * W.in + x]) *
                    weights[((k * cg + c) * H.filter + r) * W.filter + s];
              }
  return output;
}

}  // namespace tileplan::test
