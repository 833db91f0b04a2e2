// SPDX-License-Identifier: Apache-2.0
// This file groups the permutations of the tile loops into classes of equal data movement, derived
// by dominance of eq. (V).
#pragma once

#include <string>
#include <vector>

#include "computation.h"
#include "dims.h"

namespace tileplan {

/// Holds a class of loop orders whose volumes are equal for all tile sizes.
struct OrderClass {
  /// The name joins the dims of `prefix`, with "." if any has several letters: "kw" has k
  /// innermost.
  std::string name;
  /// The order is outermost first. Dims whose mutual order does not matter are in domain order.
  LoopOrder order;
  /// This is the shortest inner part of `order`, innermost first, such that no order that ends in
  /// it loads less than this class does.
  std::vector<Dim> prefix;
};

struct OrderClasses {
  int signatures = 0;  ///< There were this many distinct tables of operations before dominance.
  /// The classes are minimal under entrywise dominance, shortest prefix first, then in domain
  /// order.
  std::vector<OrderClass> classes = {};
};

/// Returns the classes of `computation`. Dims of extent 1 have no loops. The least volume over the
/// classes is the least over all permutations, for every tile. The list is never empty. Example: a
/// convolution with a 3x3 kernel has h, w, r, s, kh, kw, kr, ks.
OrderClasses order_classes(const Computation& computation);

/// Returns the classes when only `tiled` dims have loops. The others stay whole inside the tile.
OrderClasses order_classes(const Computation& computation, const std::vector<Dim>& tiled);

}  // namespace tileplan
