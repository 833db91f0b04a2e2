// SPDX-License-Identifier: Apache-2.0
// The continuous relaxation: NLopt in log space, one class per level; a certified lower bound.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capacity.h"
#include "computation.h"
#include "dims.h"
#include "orders.h"

namespace tileplan {

/// One cache level of the relaxed problem: elements that fit, and elements per second of its link.
struct RelaxLevel {
  double capacity = 0;
  double bandwidth = 0;
  double write_cost = 1;  ///< seconds of writing an element back over those of reading one
};

/// How the sizes of sliding windows enter.
enum class WindowForm {
  posynomial,  ///< `card` from above: convex, pessimistic by less than a row
  exact,       ///< signomial: local optima
  /// Volumes and capacities from below: a geometric program whose optimum bounds every tile that
  /// the spans admit. Of each window with two iterators at least one must have a span, or only the
  /// one of larger extent counts. Exact when spans are single sizes and no dilation exceeds the
  /// base; lru2's doubled size enters as the power law between its values at the base and at the
  /// whole extent, where nothing is doubled.
  below,
};

/// The sizes of one dim in the tile of one level that a program covers: volumes count `most`, of
/// which they are decreasing functions, capacities `least`. 0: the size is a variable.
struct Span {
  double least = 0;
  double most = 0;

  bool is_given() const { return most > 0; }
  bool operator==(const Span&) const = default;
};

/// Where the solver starts: every tile at the base; or each level's tiles grown evenly until it is
/// full; or both, keeping the better result. In the convex form `both` stops at the first that is
/// solved: it is the optimum.
enum class RelaxStart { both, base, capacity };

struct RelaxProblem {
  PerDim<double> base;             ///< T^0
  std::vector<RelaxLevel> levels;  ///< innermost first
  std::vector<LoopOrder> orders;   ///< outermost first, one per level
  CapacityRule rule = CapacityRule::lru2;
  WindowForm form = WindowForm::exact;
  RelaxStart start = RelaxStart::both;
  /// Given sizes, one entry per level, or empty: all are variables. A dim is given at every level
  /// or at none; `most` must not decrease outwards. For the form `below`.
  std::vector<PerDim<Span>> spans;
};

struct Relaxed {
  bool solved = false;                ///< feasible and KKT checked
  std::string why;                    ///< when not solved
  double seconds = 0;                 ///< max over levels of DV_l / BW_l at the optimum
  std::vector<PerDim<double>> tiles;  ///< T^1 .. T^L
  int evaluations = 0;
};

/// Minimum over real tile sizes of max_l DV_l / BW_l; every loop of an order counts as active.
/// Never throws: an unsolved class is said, not dropped. In the posynomial form the optimum is
/// global, of an upper bound of the volumes that is exact for windows whose filter lies whole in
/// the base; in the form below it is global and bounds what the spans admit; in the exact form it
/// is the best of the local optima that the starts reach. Example: gemm 1024^3, one
/// level of 8192 elements, k innermost, ideal: tiles 89.52 x 89.52 x 1.
Relaxed relax(const Computation& computation, const RelaxProblem& problem);

}  // namespace tileplan
