// SPDX-License-Identifier: Apache-2.0
// Loop dimensions are strongly typed indices, and containers are indexed by them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tileplan {

/// Numbers a loop dimension by its place in the domain of a computation. `Computation::names` holds
/// its name.
enum class Dim : int {};

constexpr int index(Dim dim) { return static_cast<int>(dim); }

/// Limits the number of loop dimensions. A 3-D grouped convolution has the ten dimensions n g k c d
/// h w t r s; two more are spare.
constexpr int kMaxDims = 12;

template <class T>
struct PerDim {
  std::array<T, kMaxDims> values{};

  constexpr T& operator[](Dim dim) { return values[static_cast<std::size_t>(dim)]; }
  constexpr const T& operator[](Dim dim) const { return values[static_cast<std::size_t>(dim)]; }
  bool operator==(const PerDim&) const = default;
};

/// Holds the sizes of a box of iterations. Entries after the last dimension of a computation are
/// not read.
using Tile = PerDim<std::int64_t>;

using LoopOrder = std::vector<Dim>;

}  // namespace tileplan
