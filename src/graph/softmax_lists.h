// SPDX-License-Identifier: Apache-2.0
// This file finds the lists of numbers whose softmax a node computes.
#pragma once

#include "node_view.h"

namespace tileplan {

/// Describes the lists of numbers over which Softmax computes, in a tensor in row-major order.
struct SoftmaxLists {
  std::int64_t lists = 1;
  std::int64_t count = 1;  ///< A list has this many numbers.
  std::int64_t step = 1;   ///< Consecutive numbers of a list are this many elements apart.

  /// Returns the position of the first number of list `list`.
  std::int64_t first(std::int64_t list) const { return list / step * step * count + list % step; }
};

inline SoftmaxLists softmax_lists(const NodeView& node) {
  const Extents& shape = node.shape(0);
  const std::size_t axis = node.axis(node.integer("axis", -1), shape.size());
  const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  // Before operator set 13 of ONNX, Softmax treated `axis` and all later axes as one axis.
  const bool is_flat = node.integer("flat", 0) != 0;
  const std::int64_t step = is_flat ? 1 : elements_of({at + 1, shape.end()});
  return {.lists = elements_of({shape.begin(), at}) * step,
          .count = is_flat ? elements_of({at, shape.end()}) : *at,
          .step = step};
}

}  // namespace tileplan
