// SPDX-License-Identifier: Apache-2.0
// Permutations of the tile loops -> classes of equal data movement, derived by dominance. model.md 4.
#pragma once

#include <string>
#include <vector>

#include "computation.h"
#include "dims.h"

namespace tileplan {

/// A class of loop orders whose volumes are equal for all tile sizes.
struct OrderClass {
  std::string name;   ///< its shortest inner prefix, innermost first: "kw" = k innermost, then w
  LoopOrder order;    ///< a representative over the active dims, outermost first
  std::vector<Dim> prefix;  ///< innermost first
};

struct OrderClasses {
  int signatures = 0;               ///< distinct op tables before dominance
  std::vector<OrderClass> classes;  ///< minimal under entrywise dominance, in a fixed order
};

/// Classes of `computation`. Dims of extent 1 are inactive: they take no part and stand in no order.
OrderClasses order_classes(const Computation& computation);

}  // namespace tileplan
