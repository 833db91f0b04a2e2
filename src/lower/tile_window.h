// SPDX-License-Identifier: Apache-2.0
// Winograd tiles may extend beyond tensors. This file tells which elements of a tile lie inside a
// tensor.
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

/// Describes the Winograd tiles of a tensor along one direction.
struct TileDirection {
  std::int64_t tiles = 1;
  /// Gives the index of the first tile's first element, which is negative in padding.
  std::int64_t origin = 0;
  std::int64_t step = 1;    ///< Gives the distance of consecutive tiles in elements.
  std::int64_t extent = 1;  ///< Counts the elements of the tensor along this direction.
  int size = 1;             ///< Counts the elements of a tile.

  std::int64_t start(std::int64_t tile) const { return origin + tile * step; }
  /// Returns the elements of a tile that lie inside the tensor, or {0, 0} when no element does.
  IndexRange window(std::int64_t tile) const {
    const std::int64_t before = std::clamp<std::int64_t>(-start(tile), 0, size);
    const std::int64_t end = std::clamp<std::int64_t>(extent - start(tile), 0, size);
    if (before >= end) return {0, 0};
    return {static_cast<int>(before), static_cast<int>(end)};
  }
};

}  // namespace tileplan
