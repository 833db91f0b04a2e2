// SPDX-License-Identifier: Apache-2.0
// This file describes the problem that relax() solves: tile sizes may be any real numbers, and the
// largest time of a level is minimised.
#pragma once

#include <optional>
#include <vector>

#include "capacity.h"
#include "computation.h"

namespace tileplan {

/// Describes one cache level by the units (Computation::unit_bytes) that fit and the units per
/// second of its link. The relaxation counts an element of any tensor as one unit. Where the
/// elements of a tensor are larger, the optimum is therefore still a lower bound, but not a sharp
/// one.
struct RelaxLevel {
  double capacity = 0;
  double bandwidth = 0;
  /// Holds write_cost() of models/link.h: the additional time of writing a unit back, divided by
  /// the time of reading it. It is above -1.
  double write_cost = 1;
  bool counts = true;  ///< Tells whether the level takes part in the maximum that is minimised.
};

/// Selects the formula for the footprints of sliding windows.
enum class WindowForm {
  posynomial,  ///< The footprint `card` is replaced by a convex upper bound.
  /// The footprint is `card` itself. For windows of two iterators it is exact but a signomial, so
  /// there are local optima. For more iterators it is a convex upper bound.
  exact,
  /// Volumes and required capacities are replaced by lower bounds, so the optimum is a lower bound
  /// for every tile whose sizes lie in the spans. If a window has two variable sizes or more than
  /// two iterators, only its longest iterator is counted, a variable one if there is any. The
  /// footprints of other windows are exact when spans are single sizes and no dilation exceeds the
  /// base.
  below,
};

/// Holds the range of sizes of one dimension that a program covers in the tile of one level.
/// Volumes decrease with the size, so they count `most`, whereas capacities count `least`. Both
/// fields are 0 when the size is a variable.
struct Span {
  double least = 0;
  double most = 0;

  bool is_given() const { return most > 0; }
  bool operator==(const Span&) const = default;
};

/// The solver starts with every tile at the base, or with tiles that are grown evenly until they
/// fill their level. With `both`, the solver keeps the better result. If the problem is convex,
/// `both` stops at the first start that is solved, because every optimum is global.
enum class RelaxStart { both, base, capacity };

struct RelaxProblem {
  /// Holds the sizes of the register tile, below which no tile may go (T^0 in models/README.md).
  PerDim<double> base;
  std::vector<RelaxLevel> levels;  ///< The innermost level comes first.
  std::vector<LoopOrder> orders;   ///< Holds one order per level, outermost loop first.
  CapacityRule rule = CapacityRule::lru2;
  WindowForm form = WindowForm::exact;
  RelaxStart start = RelaxStart::both;
  /// Holds one entry per level, or is empty if all sizes are variables. Spans require
  /// WindowForm::below. A dimension has spans at every level or at none, and `most` must not
  /// decrease from inner to outer levels.
  std::vector<PerDim<Span>> spans;
  /// Has one entry per level, or is empty. A level whose entry is not empty keeps this tile.
  std::vector<std::optional<PerDim<double>>> fixed = {};
};

}  // namespace tileplan
