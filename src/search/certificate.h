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
  int combos() const { return combos_; }

 private:
  std::vector<Entry> best_;
  std::int64_t nodes_ = 0;
  int combos_ = 0;
};

/// The relaxation solved for the class tuples of the best schedules (at most four), or with `full`
/// for every tuple of the best kernel combination. The bound holds for those tuples with real tile
/// sizes; the optimum itself is proven by the exhaustive search over its space.
Certificate certify(const Computation& computation, const OrderClasses& classes,
                    const Machine& machine, const SearchRecord& record, bool full);

}  // namespace tileplan
