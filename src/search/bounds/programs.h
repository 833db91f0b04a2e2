// SPDX-License-Identifier: Apache-2.0
// This file solves the geometric programs whose optima bound the per-level model over real tile
// sizes (models/README.md). Each choice of one loop-order class and one set of filter sizes per
// level is one program.
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

/// Builds and solves geometric programs, whose variables are real tile sizes. Levels that hold
/// everything or whose bandwidth is unknown are left out. A filter dimension shares an index with a
/// dimension of the output, so that footprints are not posynomials of both sizes. Its size is
/// therefore given for each level: 1, the extent, or a range between both. In a range, volumes
/// count the largest size and capacities the smallest, so that every size is covered.
class Programs {
 public:
  Programs(const Computation& computation, const OrderClasses& classes, const Machine& machine,
           CapacityRule rule);

  /// Returns a lower bound in seconds for the loop orders `classes` (one per cache level) and any
  /// real tile sizes over the box of `kernels`. The bound overlaps the compute time with the
  /// slowest level of a single program, whose filter sizes range from 1 to the extent. If all
  /// levels are left out, the bound is the compute time. Returns nothing when the program is not
  /// solved.
  std::optional<double> tuple_seconds(const KernelCombo& kernels,
                                      const std::vector<int>& classes) const;

  /// Returns the smallest bound over all `kernels`, order classes and filter sizes, but at most
  /// `optimum`. For each of `kernels`, programs are solved in the order of their single-level
  /// bounds. At most 4000 programs are solved, and none if more than 200000 have to be listed; all
  /// others count with these bounds. Programs whose single-level bounds are not below the result
  /// are pruned.
  PerLevelProof least(const std::vector<KernelCombo>& kernels, double optimum);

  /// Returns a lower bound in seconds for each cache level of the machine, over all orders and real
  /// tile sizes when one tile must fit (CapacityRule::ideal). A bound is 0 when it is unknown and
  /// for levels that are left out.
  std::vector<double> level_seconds();

 private:
  /// Holds one order class and one choice of filter sizes for each level.
  struct Program {
    std::vector<int> classes;
    std::vector<int> sizes;
    /// Gives the time in which the single-level bounds of all levels overlap.
    double movement = 0;
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
  /// Holds the positions in machine.caches of the levels that are not left out.
  std::vector<std::size_t> levels_;
  std::vector<Dim> given_;
  int choices_ = 1;
  /// Holds the single-level bounds by level, then class, then choice.
  std::vector<double> single_;
};

}  // namespace tileplan
