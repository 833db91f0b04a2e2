// SPDX-License-Identifier: Apache-2.0
// What the search covered and how far from a bound its result can be.
#pragma once

#include <limits>
#include <vector>

#include "exact.h"
#include "tileplan/candidate.h"
#include "tileplan/options.h"

namespace tileplan {

/// The best band schedules met over all kernel combinations, and the work it took.
class SearchRecord {
 public:
  void add(const KernelCombo& kernels, const SearchResult& result);
  /// Of a search with uneven splits, of kernels that were searched without.
  void add_uneven(const KernelCombo& kernels, const SearchResult& result);

  /// Seconds of the best so far; 0 when nothing was found.
  double optimum() const;

  struct Entry {
    KernelCombo kernels;
    BandSchedule band;
  };
  const std::vector<Entry>& best() const { return best_; }  ///< fastest first
  std::int64_t nodes() const { return nodes_; }
  /// True when no search was cut short: the best is the optimum of the space.
  bool complete() const { return complete_; }
  /// Nothing in the space is faster, also when searches were cut short; 0 when nothing was
  /// searched.
  double bound() const { return combos_ == 0 ? 0 : bound_; }
  int combos() const { return combos_; }
  /// Kernels and combinations that cover the problem; of those not searched, compute alone takes
  /// longer than the optimum, or a searched one has the same base box and less compute.
  std::int64_t all_kernels() const { return all_kernels_; }
  void set_all_kernels(std::int64_t all) { all_kernels_ = all; }
  double points() const { return points_; }  ///< divisor tiles of the lattices, of all levels
  int uneven_combos() const { return uneven_combos_; }     ///< searched with uneven splits too
  double uneven_points() const { return uneven_points_; }  ///< tiles of their lattices
  bool uneven_complete() const { return uneven_complete_; }

 private:
  void keep(const KernelCombo& kernels, const SearchResult& result);

  std::vector<Entry> best_;
  std::int64_t nodes_ = 0;
  bool complete_ = true;
  double bound_ = std::numeric_limits<double>::infinity();
  int combos_ = 0;
  double points_ = 0;
  std::int64_t all_kernels_ = 0;
  int uneven_combos_ = 0;
  double uneven_points_ = 0;
  bool uneven_complete_ = true;
};

/// What a certificate is made from.
struct Evidence {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;
  const Options& options;
  const SearchRecord& record;
  const std::vector<KernelCombo>& kernels;  ///< all that were searched
  const std::vector<Candidate>& scored;     ///< all nests that `predict` scored
};

/// What `plan` and --json show: `optimum` is the smallest prediction, `bound` that of
/// prediction_bound.h, which no schedule passes. `band` is the band model's: its optimum, proven by
/// the exhaustive search over divisor tiles and uneven splits of those of the best kernels, and the
/// optimum over real tile sizes: of the class tuples of the best schedules (at most four), or with
/// Options::certify_full of all tuples and kernels that single-level bounds do not prune; these
/// then also sharpen `bound`.
Certificate certify(const Evidence& evidence);

}  // namespace tileplan
