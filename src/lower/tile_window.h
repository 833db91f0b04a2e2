// SPDX-License-Identifier: Apache-2.0
// Winograd tiles may overlap borders of tensors. These values tell which of their elements lie
// inside.
#pragma once

#include <algorithm>
#include <cstdint>

#include "winograd_matrices.h"

namespace tileplan {

/// Selects a range of indices of a tile, from `first` up to but not including `last`.
struct IndexRange {
  int first = 0, last = kMostWinogradInputs;

  bool contains(int index) const { return index >= first && index < last; }
  bool operator==(const IndexRange&) const = default;
};

/// Selects the elements of a tile that lie inside a tensor.
struct TileWindow {
  IndexRange rows = {}, columns = {};

  bool contains(int row, int column) const {
    return rows.contains(row) && columns.contains(column);
  }
};

/// Describes the tiles of a tensor along one direction.
struct TileDirection {
  std::int64_t tiles = 1;
  std::int64_t origin = 0;  ///< The first tile begins at this index, which is below 0 in padding.
  std::int64_t step = 1;    ///< The next tile begins this many elements later.
  std::int64_t extent = 1;  ///< The tensor has this many elements.
  int size = 1;             ///< A tile has this many elements.

  std::int64_t start(std::int64_t tile) const { return origin + tile * step; }
  /// Returns the elements of a tile that lie inside the tensor. It is {0, 0} when none do.
  IndexRange window(std::int64_t tile) const {
    const std::int64_t before = std::clamp<std::int64_t>(-start(tile), 0, size);
    const std::int64_t end = std::clamp<std::int64_t>(extent - start(tile), 0, size);
    if (before >= end) return {0, 0};
    return {static_cast<int>(before), static_cast<int>(end)};
  }
};

}  // namespace tileplan
