// SPDX-License-Identifier: Apache-2.0
// This file groups the permutations of the tile loops into classes of equal data movement, eq. (V),
// and keeps the classes that no other class dominates.
#pragma once

#include <string>
#include <vector>

#include "computation.h"
#include "dims.h"

namespace tileplan {

/// Holds a class of loop orders whose volumes are equal for all tile sizes.
struct OrderClass {
  /// Joins the names of `prefix`, so "kw" has k innermost. The names are separated by "." if any
  /// name has several letters.
  std::string name;
  /// Lists the loops, outermost first. Dimensions whose mutual order does not matter are in the
  /// order of the domain.
  LoopOrder order;
  /// Is the shortest inner part, innermost loop first, such that every order with this inner part
  /// loads at least as much as `order`.
  std::vector<Dim> prefix;
};

struct OrderClasses {
  /// Counts the signatures. Orders with equal volumes for all tile sizes have one signature.
  int signatures = 0;
  /// Holds one class per signature, without the signatures that never move less than another one.
  /// Classes are sorted by the length of their prefix, then by dimensions.
  std::vector<OrderClass> classes = {};
};

/// Returns the classes of `computation`. Dims of extent 1 have no loops. For every tile, some class
/// has the least volume of all permutations. The list is never empty. Example: a convolution with a
/// 3x3 kernel has the classes h, w, r, s, kh, kw, kr, ks.
OrderClasses order_classes(const Computation& computation);

/// Returns the classes when only `tiled` dimensions have loops. All other dimensions lie whole in
/// the tile.
OrderClasses order_classes(const Computation& computation, const std::vector<Dim>& tiled);

}  // namespace tileplan
