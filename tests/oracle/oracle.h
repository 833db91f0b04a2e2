// SPDX-License-Identifier: Apache-2.0
// This file counts by enumeration what the models predict: accessed elements, transitions between
// tiles, and cache misses. The code shares no formula with the models.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "computation.h"

namespace tileplan::oracle {

/// Holds the iterations x with first <= x < first + size.
struct Box {
  Tile first{};
  Tile size{};
};

/// Identifies an element of a tensor. Two numbers are equal exactly when the tensor and all indices
/// are equal, if the absolute values of the indices are below 512.
using Element = std::int64_t;

Box domain(const Computation& computation);

/// Returns the distinct elements of tensor number `tensor` that `box` accesses, in ascending order.
std::vector<Element> touched(const Computation& computation, int tensor, const Box& box);

/// Returns the tiles of `box` in the order of execution. The loops `order` (outermost first)
/// advance in steps of `size`. The last tile of a loop is smaller when `size` does not divide its
/// extent. Dimensions that are not in `order` are not split.
std::vector<Box> tiles(const Box& box, const LoopOrder& order, const Tile& size);

/// Returns three accesses for each iteration: to the input, the weights and the output. Tiles are
/// executed in the order of `walk`, and the iterations of a tile in `order` (outermost first). A
/// dimension that is not in `order` keeps its first value in each tile.
std::vector<Element> accesses(const Computation& computation, const std::vector<Box>& walk,
                              const LoopOrder& order);

struct Transitions {
  /// Counts |F_1| + sum |F_(i+1) \\ F_i| per tensor, where F_i are the elements that tile i
  /// accesses.
  std::array<std::int64_t, kOperands> fresh{};
  /// Counts as `fresh` does, but counts all of F_(i+1) when the loop that advances is outside the
  /// innermost loop of several steps over a dimension of the tensor. Only consecutive tiles along
  /// one loop then share elements.
  std::array<std::int64_t, kOperands> along_one_loop{};
  /// Counts the elements of all tensors that one tile accesses, for the tile with most elements.
  std::int64_t largest_tile = 0;
  /// Counts the elements of all tensors that at least one of two consecutive tiles accesses, for
  /// the pair with most elements.
  std::int64_t largest_pair = 0;

  std::int64_t total() const { return fresh[0] + fresh[1] + fresh[2]; }
};

/// Returns the counts for the tiles of `box` in execution order.
Transitions transitions(const Computation& computation, const Box& box, const LoopOrder& order,
                        const Tile& size);

/// Returns the number of misses of a fully associative cache of `capacity` elements that evicts the
/// least recently used element. Requires capacity >= 1.
std::int64_t lru_misses(const std::vector<Element>& accesses, std::int64_t capacity);

/// Returns the least possible number of misses of a fully associative cache of `capacity` elements,
/// which evicts the element with the farthest next use (Belady). Requires capacity >= 1.
std::int64_t belady_misses(const std::vector<Element>& accesses, std::int64_t capacity);

}  // namespace tileplan::oracle
