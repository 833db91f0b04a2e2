// SPDX-License-Identifier: Apache-2.0
// Permutations of the tile loops -> classes of equal data movement, derived by dominance of (V).
#pragma once

#include <string>
#include <vector>

#include "computation.h"
#include "dims.h"

namespace tileplan {

/// A class of loop orders whose volumes are equal for all tile sizes.
struct OrderClass {
  /// The names of `prefix`: "kw" = k innermost, then w; joined by "." when a name has several
  /// letters.
  std::string name;
  /// A representative over the tiled dims, outermost first. Dims whose mutual order does not matter
  /// are in domain order.
  LoopOrder order;
  /// Innermost first: the shortest one of `order` such that no order that starts with it moves less
  /// than the class.
  std::vector<Dim> prefix;
};

struct OrderClasses {
  int signatures = 0;  ///< distinct op tables before dominance
  std::vector<OrderClass>
      classes;  ///< minimal under entrywise dominance; shortest prefix first, then domain order
};

/// Classes of `computation`. Dims of extent 1 are inactive: they take no part and stand in no
/// order. For every tile the least volume over the classes is the least over all permutations.
/// Never empty. Example: a convolution with a 3x3 kernel has h, w, r, s, kh, kw, kr, ks.
OrderClasses order_classes(const Computation& computation);

/// The same when only `tiled` dims have loops and the others stay whole inside the tile, windows
/// included.
OrderClasses order_classes(const Computation& computation, const std::vector<Dim>& tiled);

}  // namespace tileplan
