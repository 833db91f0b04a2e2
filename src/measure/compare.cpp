// SPDX-License-Identifier: Apache-2.0
// This file compares the speeds of kernels of one problem in pairs, in one process.
#include "tileplan/compare.h"

#include <algorithm>
#include <optional>

#include "attached_kernel.h"
#include "runner.h"
#include "tileplan/verify.h"

namespace tileplan {

std::vector<PairedResult> compare(const Kernel& first, const std::vector<Kernel>& others,
                                  const CompareOptions& options) {
  require_budget(options.budget_seconds);
  int threads = first.threads();
  for (const Kernel& other : others) threads = std::max(threads, other.threads());
  std::optional<PinnedThread> pinned;
  if (threads == 1) pinned.emplace();
  Tensors tensors(first.problem(), options.seed);
  const AttachedKernel bound(first, tensors);
  Instruments instruments = make_instruments(first.isa(), threads);
  std::vector<PairedResult> results;
  for (const Kernel& other : others) {
    const AttachedKernel rival(other, tensors);
    results.push_back(measure_pair(workload_of(bound, options.regime),
                                   workload_of(rival, options.regime), instruments,
                                   {.budget_seconds = options.budget_seconds,
                                    .enough = options.pairs,
                                    .stop = stop_requested}));
  }
  return results;
}

}  // namespace tileplan
