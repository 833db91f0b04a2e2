// SPDX-License-Identifier: Apache-2.0
// Counts point by point what the models predict: touched elements, transitions between tiles, cache
// misses. It shares no formula with the models.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "computation.h"

namespace tileplan::oracle {

/// Holds the iterations first <= x < first + size.
struct Box {
  Tile first{};
  Tile size{};
};

/// Numbers one element of one tensor. Numbers are equal exactly when tensor and all indices are.
using Element = std::int64_t;

/// Returns the whole domain.
Box domain(const Computation& computation);

/// Returns the distinct elements of tensor number `tensor` that the iterations of `box` touch,
/// ascending.
std::vector<Element> touched(const Computation& computation, int tensor, const Box& box);

/// Returns the tiles of `box` in execution order: loops in `order` (outermost first) by steps of
/// `size`. The last one of a loop is smaller when the size does not divide.
std::vector<Box> tiles(const Box& box, const LoopOrder& order, const Tile& size);

/// Returns every access of every iteration: left operand, right operand, output. The iterations of
/// each tile of `walk` are in `order` (outermost first).
std::vector<Element> accesses(const Computation& computation, const std::vector<Box>& walk,
                              const LoopOrder& order);

struct Transitions {
  std::array<std::int64_t, kOperands> fresh{};  ///< It is |F_1| + sum |F_(i+1) \\ F_i| per tensor.
  /// Counts all as fresh whenever a loop outside the innermost moving loop of the tensor advances,
  /// so that only neighbours along one loop reuse.
  std::array<std::int64_t, kOperands> along_one_loop{};
  std::int64_t largest_tile = 0;  ///< It is max |F_i| over all tensors.
  std::int64_t largest_pair = 0;  ///< It is max |F_i u F_(i+1)| over all tensors.

  std::int64_t total() const { return fresh[0] + fresh[1] + fresh[2]; }
};

/// Compares each tile's elements with those of the tile before.
Transitions transitions(const Computation& computation, const Box& box, const LoopOrder& order,
                        const Tile& size);

/// Returns the misses of a fully associative cache of `capacity` elements that evicts the least
/// recently used.
std::int64_t lru_misses(const std::vector<Element>& accesses, std::int64_t capacity);

/// Returns the least possible misses, with the element evicted that is used farthest in the future
/// (Belady).
std::int64_t belady_misses(const std::vector<Element>& accesses, std::int64_t capacity);

}  // namespace tileplan::oracle
