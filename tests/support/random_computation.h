// SPDX-License-Identifier: Apache-2.0
// This file draws small computations of every operator, and tiles and loop orders for them.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <utility>

#include "small_computation.h"

namespace tileplan::toy {

using Random = std::mt19937_64;

inline std::int64_t uniform(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Draws a tile whose sizes divide those of `within`.
inline Tile random_tile_of(const Tile& within, const Computation& computation, Random& random) {
  Tile result{};
  for (int d = 0; d < computation.dims(); ++d) {
    const std::int64_t size = within[Dim{d}];
    result[Dim{d}] = uniform(random, 1, size);
    while (size % result[Dim{d}] != 0) result[Dim{d}] = uniform(random, 1, size);
  }
  return result;
}

/// Draws a tile with sizes from 1 to the extents. With `dividing`, sizes divide the extents.
inline Tile random_tile(const Computation& computation, bool dividing, Random& random) {
  if (dividing) return random_tile_of(whole(computation), computation, random);
  Tile result{};
  for (int d = 0; d < computation.dims(); ++d)
    result[Dim{d}] = uniform(random, 1, computation.extent(Dim{d}));
  return result;
}

inline LoopOrder random_order(const Computation& computation, Random& random) {
  LoopOrder order;
  for (int d = 0; d < computation.dims(); ++d) order.push_back(Dim{d});
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(
        order[i - 1],
        order[static_cast<std::size_t>(uniform(random, 0, static_cast<std::int64_t>(i) - 1))]);
  return order;
}

/// Returns a row-major layout in which the axis named last in `axes` is contiguous.
inline TensorLayout row_major(const TensorAccess& tensor, const std::vector<std::size_t>& axes) {
  TensorLayout layout;
  layout.axes.resize(tensor.data.size());
  layout.elements = 1;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    layout.axes[*axis].stride = layout.elements;
    layout.elements *= tensor.data[*axis].extent;
  }
  return layout;
}

/// Draws a problem of operator `kind`. The kinds 0 to 9 are, in this order, dense, strided and
/// dilated, grouped, depthwise, 1x1, 1-D, 3-D, transposed, product and batched product. Drawn
/// strides, dilations, groups and batches may be 1.
inline Computation random_computation(int kind, Random& random) {
  const auto up_to = [&](std::int64_t high) { return uniform(random, 1, high); };
  Conv z{.n = up_to(2), .k = up_to(4), .c = up_to(4), .h = up_to(6), .w = up_to(6)};
  z.r = up_to(3), z.s = up_to(3);
  z.stride = up_to(3), z.dilation = up_to(3);
  if (kind == 0) z.stride = z.dilation = 1;
  if (kind == 2) {
    z.g = up_to(3);
    z.k = z.c = up_to(2);
  } else if (kind == 3) {
    z.g = up_to(4);
    z.k = z.c = 1;
  } else if (kind == 4) {
    z.r = z.s = 1;
  } else if (kind == 5) {
    z.h = z.r = 1;
    z.w = up_to(12);
    z.s = up_to(5);
  }
  if (kind < 6) return conv(z);
  if (kind == 7) return transposed_conv(z);
  if (kind > 7)
    return gemm({.b = kind == 8 ? 1 : up_to(3), .i = up_to(8), .j = up_to(8), .k = up_to(8)});
  Conv deep{.k = up_to(3), .c = up_to(2), .d = up_to(4), .h = up_to(4), .w = up_to(4)};
  deep.t = up_to(2), deep.r = up_to(3), deep.s = up_to(2);
  deep.stride = up_to(2), deep.dilation = up_to(2);
  return conv3d(deep);
}
constexpr int kOperatorKinds = 10;

/// Calls check(trial, random) for each trial from 0 to `trials` - 1.
template <class Check>
void for_trials(std::uint64_t seed, int trials, const Check& check) {
  CAPTURE(seed);
  Random random(seed);
  for (int trial = 0; trial < trials; ++trial) {
    CAPTURE(trial);
    check(trial, random);
  }
}

/// Calls check(computation, random) for `trials` random computations, whose operators take turns.
template <class Check>
void for_random_computations(std::uint64_t seed, int trials, const Check& check) {
  for_trials(seed, trials, [&](int trial, Random& random) {
    check(random_computation(trial % kOperatorKinds, random), random);
  });
}

}  // namespace tileplan::toy
