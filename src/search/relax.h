// SPDX-License-Identifier: Apache-2.0
// The continuous relaxation: NLopt in log space, one class per level; a certified lower bound. model.md 5.
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

/// How `card` of a sliding window enters: as posynomial upper bound (convex), or exactly (signomial).
enum class WindowForm { posynomial, exact };

struct RelaxProblem {
  PerDim<double> base;                 ///< T^0
  std::vector<RelaxLevel> levels;      ///< innermost first
  std::vector<LoopOrder> orders;       ///< outermost first, one per level
  CapacityRule rule = CapacityRule::lru2;
  WindowForm form = WindowForm::exact;
};

struct Relaxed {
  bool solved = false;                 ///< feasible and KKT checked
  std::string why;                     ///< when not solved
  double seconds = 0;                  ///< max over levels of DV_l / BW_l at the optimum
  std::vector<PerDim<double>> tiles;   ///< T^1 .. T^L
  double kkt_residual = 0;
  int evaluations = 0;
};

/// Minimum over real tile sizes of max_l DV_l / BW_l. Never throws: an unsolved class is said, not dropped.
Relaxed relax(const Computation& computation, const RelaxProblem& problem);

}  // namespace tileplan
