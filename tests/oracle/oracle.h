// SPDX-License-Identifier: Apache-2.0
// What the models predict, counted point by point: touched elements, transitions between tiles,
// cache simulators. Shares no formula with the models.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "computation.h"

namespace tileplan::oracle {

/// Iterations first <= x < first + size.
struct Box {
  Tile first{};
  Tile size{};
};

/// One element of one tensor, as a number: equal exactly when tensor and all indices are.
using Element = std::int64_t;

/// The whole domain.
Box domain(const Computation& computation);

/// Distinct elements of tensor number `tensor` that the iterations of `box` touch, ascending.
std::vector<Element> touched(const Computation& computation, int tensor, const Box& box);

/// The tiles of `box` in execution order: loops in `order` (outermost first) by steps of `size`;
/// the last one of a loop is smaller when the size does not divide.
std::vector<Box> tiles(const Box& box, const LoopOrder& order, const Tile& size);

/// Every access of every iteration, left operand, right operand, output: iterations of each tile of
/// `walk` in `order` (outermost first).
std::vector<Element> accesses(const Computation& computation, const std::vector<Box>& walk,
                              const LoopOrder& order);

struct Transitions {
  std::array<std::int64_t, kOperands> fresh{};  ///< |F_1| + sum |F_(i+1) \\ F_i|, per tensor
  /// The same when all is new whenever a loop outside the innermost moving loop of the tensor
  /// advances: what remains to be re-used is between neighbours along one loop only.
  std::array<std::int64_t, kOperands> along_one_loop{};
  std::int64_t largest_tile = 0;  ///< max |F_i|, all tensors
  std::int64_t largest_pair = 0;  ///< max |F_i u F_(i+1)|, all tensors

  std::int64_t total() const { return fresh[0] + fresh[1] + fresh[2]; }
};

/// Compares each tile's elements with those of the tile before.
Transitions transitions(const Computation& computation, const Box& box, const LoopOrder& order,
                        const Tile& size);

/// Misses of a fully associative cache of `capacity` elements that evicts the least recently used.
std::int64_t lru_misses(const std::vector<Element>& accesses, std::int64_t capacity);

/// Misses when the element used farthest in the future is evicted (Belady): the least possible.
std::int64_t belady_misses(const std::vector<Element>& accesses, std::int64_t capacity);

}  // namespace tileplan::oracle
