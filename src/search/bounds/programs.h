// SPDX-License-Identifier: Apache-2.0
// This file solves the geometric programs whose optima bound the per-level model over real tile
// sizes (models/README.md, "Built on them"). Each combination of loop-order classes and filter
// sizes at all levels is one program.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels.h"
#include "orders.h"
#include "relax.h"
#include "tileplan/candidate.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Builds and solves the programs. Levels that hold everything or whose bandwidth is unknown are
/// left out. The sizes of filter dims, which share an index with the output, are given per level as
/// 1, the extent, or in between. In between, volumes count the largest size and capacities the
/// smallest, so that every size is covered.
class Programs {
 public:
  Programs(const Computation& computation, const OrderClasses& classes, const Machine& machine,
           CapacityRule rule);

  /// Returns a lower bound in seconds for the loop orders `classes` (one per cache level) with any
  /// real tile sizes over the box of `kernels`. The bound overlaps the compute time with the
  /// slowest level of one program whose given sizes cover all sizes. Returns nothing when the
  /// program is not solved.
  std::optional<double> tuple_seconds(const KernelCombo& kernels,
                                      const std::vector<int>& classes) const;

  /// Returns the smallest bound, at most `optimum`, for each of `kernels` over all combinations of
  /// classes and filter sizes. At most some thousand programs are solved, those with the least
  /// bounds first. Programs whose single-level bounds are not below the result are pruned.
  BandProof least(const std::vector<KernelCombo>& kernels, double optimum);

  /// Returns a lower bound in seconds for each cache level of the machine, over all orders and real
  /// tile sizes when one tile must fit (CapacityRule::ideal). Unknown bounds are 0.
  std::vector<double> level_seconds();

 private:
  /// Holds the order class and the choice of given sizes for each level.
  struct Program {
    std::vector<int> classes;
    std::vector<int> sizes;
    double movement = 0;  ///< The single-level bounds overlap in this time.
  };

  void add_given(const DataDim& data);
  std::int64_t count(std::size_t kernels) const;
  PerDim<Span> spans_of(int choice) const;
  bool nests(int inner, int outer) const;
  void solve_levels();
  void enumerate(std::size_t l, Program& program, double limit,
                 std::vector<Program>& programs) const;
  RelaxProblem problem_of(const Tile& base) const;
  std::optional<double> solve(const RelaxProblem& problem) const;
  std::optional<double> solve(const Program& program, const KernelCombo& kernels) const;
  double single(std::size_t l, int order_class, int choice) const;
  double combined(double compute, double movement) const;

  const Computation& computation_;
  const OrderClasses& classes_;
  const Machine& machine_;
  CapacityRule rule_;
  std::vector<std::size_t> levels_;  ///< These are positions in machine.caches.
  std::vector<Dim> given_;
  int choices_ = 1;
  std::vector<double> single_;  ///< The order is by level, then class, then choice.
};

}  // namespace tileplan
