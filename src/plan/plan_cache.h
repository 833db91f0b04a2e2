// SPDX-License-Identifier: Apache-2.0
// This cache stores plans by their problem, machine and options.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <shared_mutex>

#include "tileplan/plan.h"

namespace tileplan {

/// Holds the newest `most` plans. Several threads may use a cache at once.
class PlanCache {
 public:
  /// Requires most >= 1.
  explicit PlanCache(std::size_t most) : most_(most) {}

  /// Returns the plan for this problem (including its name), machine and options, or null.
  std::shared_ptr<const Plan> find(const Problem& problem, const Machine& machine,
                                   const Options& options) const;

  /// Stores `plan`, which was made for `machine`, unless a plan for these arguments is stored.
  /// (Plan::machine is adapted to the element types, so it may differ from `machine`.) Drops the
  /// oldest plan when there are more than `most`. Returns the stored plan.
  std::shared_ptr<const Plan> insert(const Machine& machine, Plan plan);

 private:
  struct Entry {
    Machine machine;
    std::shared_ptr<const Plan> plan;
  };

  std::shared_ptr<const Plan> find_locked(const Problem& problem, const Machine& machine,
                                          const Options& options) const;

  const std::size_t most_;
  mutable std::shared_mutex mutex_;
  std::deque<Entry> entries_;  ///< The oldest entry is first.
};

}  // namespace tileplan
