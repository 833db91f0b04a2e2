// SPDX-License-Identifier: Apache-2.0
// This file describes the problem that the relaxation solves.
#pragma once

#include <vector>

#include "capacity.h"
#include "computation.h"

namespace tileplan {

/// Describes one cache level: how many elements fit, and the elements per second of its link.
struct RelaxLevel {
  double capacity = 0;
  double bandwidth = 0;
  double write_cost = 1;  ///< It is the time to write an element back divided by that to read one.
};

/// Says which form the footprints of sliding windows have.
enum class WindowForm {
  posynomial,  ///< It bounds `card` from above: convex, and too large by less than a row.
  exact,       ///< It is a signomial, which has local optima.
  /// Volumes and capacities count from below. The optimum of this geometric program bounds every
  /// tile that the spans admit. At least one of the two iterators of a window must have a span, or
  /// only the one of larger extent counts. The form is exact when spans are single sizes and no
  /// dilation exceeds the base. The doubled size of lru2 enters as the power law through its values
  /// at the base and at the whole extent, where nothing is doubled.
  below,
};

/// Holds the sizes of one dim that a program covers in the tile of one level. Volumes decrease with
/// the size, so they count `most`, and capacities count `least`. Both are 0 for a variable.
struct Span {
  double least = 0;
  double most = 0;

  bool is_given() const { return most > 0; }
  bool operator==(const Span&) const = default;
};

/// The solver starts with every tile at the base, with the tiles of each level grown evenly until
/// it is full, or with both, keeping the better result. In the convex form `both` stops at the
/// first start that is solved, which is the optimum.
enum class RelaxStart { both, base, capacity };

struct RelaxProblem {
  PerDim<double> base;             ///< It is T^0.
  std::vector<RelaxLevel> levels;  ///< The innermost level comes first.
  std::vector<LoopOrder> orders;   ///< There is one per level, outermost loop first.
  CapacityRule rule = CapacityRule::lru2;
  WindowForm form = WindowForm::exact;
  RelaxStart start = RelaxStart::both;
  /// Only the form `below` takes given sizes, one entry per level. A dim is given at every level or
  /// at none, and `most` must not decrease outwards.
  std::vector<PerDim<Span>> spans;
};

}  // namespace tileplan
