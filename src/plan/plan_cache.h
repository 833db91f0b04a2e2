// SPDX-License-Identifier: Apache-2.0
// This file remembers plans and finds them by their problem, machine and options.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <shared_mutex>

#include "tileplan/plan.h"

namespace tileplan {

/// Holds the last `most` plans for any number of threads.
class PlanCache {
 public:
  /// Requires: most >= 1.
  explicit PlanCache(std::size_t most) : most_(most) {}

  /// Returns the plan of exactly this problem (its name included), machine and options, or null.
  std::shared_ptr<const Plan> find(const Problem& problem, const Machine& machine,
                                   const Options& options) const;

  /// Remembers `plan`, made with `machine` (the plan of an f64 problem holds another one), unless
  /// there is one. Returns the one that is kept. Drops the oldest when there are too many.
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
  std::deque<Entry> entries_;  ///< The oldest is first.
};

}  // namespace tileplan
