// SPDX-License-Identifier: Apache-2.0
// This file makes problems for the tests of computations and of layouts.
#pragma once

#include <cstdint>

#include "computation.h"

namespace tileplan::test {

/// Returns a 1x1 convolution of two images with 2x5 pixels. Each group has `channels` input
/// channels and 4 output channels.
inline ConvShape grouped_conv(std::int64_t groups, std::int64_t channels) {
  return {.name = "",
          .n = 2,
          .g = groups,
          .c = groups * channels,
          .k = groups * 4,
          .height = {.in = 2, .out = 2},
          .width = {.in = 5, .out = 5}};
}

/// Returns the product of a 4x2 matrix and a 2x6 matrix as a relation.
inline Relation product() {
  return {.name = "",
          .domain = "{ S[i,j,k] : 0 <= i < 4 and 0 <= j < 6 and 0 <= k < 2 }",
          .reads = "{ S[i,j,k] -> A[i,k]; S[i,j,k] -> B[k,j] }",
          .writes = "{ S[i,j,k] -> C[i,j] }"};
}

}  // namespace tileplan::test
