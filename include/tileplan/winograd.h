// SPDX-License-Identifier: Apache-2.0
// A Winograd convolution computes tiles of outputs with fewer multiplications than a direct one.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

struct Fraction {
  std::int64_t numerator = 0, denominator = 1;

  bool operator==(const Fraction&) const = default;
};

/// Names the algorithm F(m, r) for each direction; the height is first. The filter has r taps, and
/// a tile has m outputs and alpha = m + r - 1 inputs and products per direction; alpha is at
/// most 8.
struct WinogradTiles {
  /// Gives the number of outputs m of a tile, which is 1 in a direction with one tap.
  std::array<std::int64_t, 2> outputs = {1, 1};
  /// Lists the alpha - 1 different points that, with infinity, define the transforms. An empty list
  /// stands for the points that tileplan chooses.
  std::array<std::vector<Fraction>, 2> points = {};

  bool operator==(const WinogradTiles&) const = default;
};

}  // namespace tileplan
