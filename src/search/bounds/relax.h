// SPDX-License-Identifier: Apache-2.0
// This file declares the relaxation to real tile sizes, which NLopt solves in log space.
#pragma once

#include <string>
#include <vector>

#include "relax_problem.h"

namespace tileplan {

struct Relaxed {
  /// Tells whether the point is feasible and meets the KKT conditions.
  bool solved = false;
  std::string why = {};  ///< Gives the reason why the problem is not solved.
  double seconds = 0;    ///< Holds the time of the slowest level at the optimum.
  /// Names the level that takes `seconds`; the innermost is 0.
  std::size_t slowest = 0;
  std::vector<PerDim<double>> tiles = {};  ///< Holds the tiles T^1 .. T^L, innermost first.
  int evaluations = 0;
};

/// Returns the minimum over real tile sizes of the largest time of any level with
/// RelaxLevel::counts, which is its volume (movement.h) divided by its bandwidth. Volumes that are
/// written back are weighted by 1 + RelaxLevel::write_cost. Every loop along a variable size counts
/// as active. The result is not solved, and `why` gives the reason, when the base does not fit a
/// level or when the solver reaches no optimum. Never throws. The optimum is global for convex
/// forms, and with WindowForm::exact the best local optimum that the starting points reach.
/// Example: gemm 1024^3 with one level of 8192 elements, k innermost and the ideal rule has tiles
/// of 89.52 x 89.52 x 1.
Relaxed relax(const Computation& computation, const RelaxProblem& problem);

/// Returns the version of NLopt, such as "2.7.1".
std::string version_of_nlopt();

}  // namespace tileplan
