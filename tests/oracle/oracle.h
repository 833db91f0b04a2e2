// SPDX-License-Identifier: Apache-2.0
// Counts point by point the numbers that the models predict: accessed elements, transitions between
// tiles, cache misses. The code shares no formula with the models.
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

/// Identifies an element. Numbers are equal exactly when the tensor and all indices are equal.
using Element = std::int64_t;

/// Returns the box of all iterations.
Box domain(const Computation& computation);

/// Returns the distinct elements of tensor number `tensor` that `box` accesses, in ascending order.
std::vector<Element> touched(const Computation& computation, int tensor, const Box& box);

/// Returns the tiles of `box` in execution order, with the loops `order` (outermost first) in steps
/// of `size`. The last tile of a loop is smaller when the size does not divide.
std::vector<Box> tiles(const Box& box, const LoopOrder& order, const Tile& size);

/// Returns the accesses of every iteration to the left operand, the right operand and the output.
/// Tiles are executed as in `walk`, and the iterations of a tile in `order` (outermost first).
std::vector<Element> accesses(const Computation& computation, const std::vector<Box>& walk,
                              const LoopOrder& order);

struct Transitions {
  /// Tile i accesses the elements F_i. This is |F_1| + sum |F_(i+1) \\ F_i| per tensor.
  std::array<std::int64_t, kOperands> fresh{};
  /// Differs from `fresh` when a loop outside the innermost moving loop of the tensor advances: all
  /// elements of the tile are then counted, as if only tiles along one loop shared elements.
  std::array<std::int64_t, kOperands> along_one_loop{};
  std::int64_t largest_tile = 0;  ///< This is the maximum of |F_i| summed over tensors.
  std::int64_t largest_pair = 0;  ///< This is the same for the union of F_i and F_(i+1).

  std::int64_t total() const { return fresh[0] + fresh[1] + fresh[2]; }
};

/// Compares the elements of each tile with the elements of the previous tile.
Transitions transitions(const Computation& computation, const Box& box, const LoopOrder& order,
                        const Tile& size);

/// Returns the number of misses of a fully associative cache of `capacity` elements that evicts the
/// least recently used element.
std::int64_t lru_misses(const std::vector<Element>& accesses, std::int64_t capacity);

/// Returns the least possible misses. The element with the farthest next use is evicted (Belady).
std::int64_t belady_misses(const std::vector<Element>& accesses, std::int64_t capacity);

}  // namespace tileplan::oracle
