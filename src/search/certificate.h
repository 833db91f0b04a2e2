// SPDX-License-Identifier: Apache-2.0
// What the search covered and how far from a real-valued optimum its result can be.
#pragma once

#include <limits>
#include <vector>

#include "exact.h"
#include "tileplan/prediction.h"

namespace tileplan {

/// The best band schedules met over all kernel combinations, and the work it took.
class SearchRecord {
 public:
  void add(const KernelCombo& kernels, const SearchResult& result);

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

 private:
  std::vector<Entry> best_;
  std::int64_t nodes_ = 0;
  bool complete_ = true;
  double bound_ = std::numeric_limits<double>::infinity();
  int combos_ = 0;
};

/// The relaxation solved for the class tuples of the best schedules (at most four), or with `full`
/// for every tuple of the best kernel combination. The optimum is proven by the exhaustive search
/// over its space unless `space` says that it was cut short; the bound holds for the solved tuples
/// with real tile sizes, and for the whole space when the search was cut.
Certificate certify(const Computation& computation, const OrderClasses& classes,
                    const Machine& machine, const SearchRecord& record, bool full);

}  // namespace tileplan
