// SPDX-License-Identifier: Apache-2.0
// plan_conv() and plan_gemm() store plans in one cache. A search scans its entries, because
// scanning a few hundred problems is faster than hashing a machine.
#include "plan_cache.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "tileplan/verify.h"

namespace tileplan {

std::shared_ptr<const Plan> PlanCache::find_locked(const Problem& problem, const Machine& machine,
                                                   const Options& options) const {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.plan->problem == problem && entry.plan->options == options &&
           entry.machine == machine;
  });
  return found == entries_.end() ? nullptr : found->plan;
}

std::shared_ptr<const Plan> PlanCache::find(const Problem& problem, const Machine& machine,
                                            const Options& options) const {
  const std::shared_lock lock(mutex_);
  return find_locked(problem, machine, options);
}

std::shared_ptr<const Plan> PlanCache::insert(const Machine& machine, Plan plan) {
  auto made = std::make_shared<const Plan>(std::move(plan));
  const std::unique_lock lock(mutex_);
  if (auto before = find_locked(made->problem, machine, made->options)) return before;
  if (entries_.size() == most_) entries_.pop_front();
  entries_.push_back({.machine = machine, .plan = made});
  return made;
}

namespace {

/// Limits the stored plans. A plan takes about 30 KiB, half of it for the machine.
constexpr std::size_t kRememberedPlans = 256;

Plan find_or_plan(const Problem& problem, const Machine& machine, const Options& options) {
  // The cache is never destroyed, because destructors of static objects may call plan_conv().
  static PlanCache& cache = *new PlanCache(kRememberedPlans);
  if (const auto before = cache.find(problem, machine, options)) return *before;
  Plan made = plan(problem, machine, options);
  // Measurements that were stopped are not stored, so that a later call can measure fully.
  if (options.verify > 0 && stop_requested()) return made;
  return *cache.insert(machine, std::move(made));
}

}  // namespace

Plan plan_conv(const ConvShape& shape, const Machine& machine, const Options& options) {
  return find_or_plan(shape, machine, options);
}

Plan plan_gemm(const GemmShape& shape, const Machine& machine, const Options& options) {
  return find_or_plan(shape, machine, options);
}

}  // namespace tileplan
