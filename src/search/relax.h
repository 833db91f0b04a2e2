// SPDX-License-Identifier: Apache-2.0
// The continuous relaxation: NLopt in log space, one class per level; a certified lower bound.
// model.md 5.
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
};

/// How `card` of a sliding window enters: as posynomial upper bound (convex), or exactly
/// (signomial).
enum class WindowForm { posynomial, exact };

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
};

struct Relaxed {
  bool solved = false;                ///< feasible and KKT checked
  std::string why;                    ///< when not solved
  double seconds = 0;                 ///< max over levels of DV_l / BW_l at the optimum
  std::vector<PerDim<double>> tiles;  ///< T^1 .. T^L
  double kkt_residual = 0;
  int evaluations = 0;
};

/// Minimum over real tile sizes of max_l DV_l / BW_l; every loop of an order counts as active.
/// Never throws: an unsolved class is said, not dropped. In the posynomial form the optimum is
/// global, of an upper bound of the volumes that is exact for windows whose filter lies whole in
/// the base; in the exact form it is the best of the local optima that the starts reach
/// (model.md 5.1). Example: gemm 1024^3, one level of 8192 elements, k innermost, ideal:
/// tiles 89.52 x 89.52 x 1.
Relaxed relax(const Computation& computation, const RelaxProblem& problem);

}  // namespace tileplan
