// SPDX-License-Identifier: Apache-2.0
// Loop dimensions are strong indices, and containers are indexed by them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tileplan {

/// Indexes a loop dimension in domain order. `Computation::names` has its letter.
enum class Dim : int {};

constexpr int index(Dim dim) { return static_cast<int>(dim); }

/// There is room for 3-D grouped convolutions, n g k c d h w t r s, and two dims to spare.
constexpr int kMaxDims = 12;

template <class T>
struct PerDim {
  std::array<T, kMaxDims> values{};

  constexpr T& operator[](Dim dim) { return values[static_cast<std::size_t>(dim)]; }
  constexpr const T& operator[](Dim dim) const { return values[static_cast<std::size_t>(dim)]; }
  bool operator==(const PerDim&) const = default;
};

/// Holds the sizes of a box of iterations. Dims beyond those of the computation are never read.
using Tile = PerDim<std::int64_t>;

/// Lists the loops of a computation, outermost first.
using LoopOrder = std::vector<Dim>;

}  // namespace tileplan
