// SPDX-License-Identifier: Apache-2.0
// Compares the speed of kernels of one problem in pairs, in one process.
#include "against.h"

#include <algorithm>
#include <optional>

#include "bound_kernel.h"
#include "stop.h"

namespace tileplan {

std::vector<PairedResult> measure_against(const Kernel& first, const std::vector<Kernel>& others,
                                          const Options& options) {
  // The 95 % interval of the median is then from the 14th to the 28th pair.
  constexpr int kPairs = 41;
  int threads = first.threads();
  for (const Kernel& other : others) threads = std::max(threads, other.threads());
  std::optional<PinnedThread> pinned;
  if (threads == 1) pinned.emplace();
  Tensors tensors(first.problem(), options.seed);
  const BoundKernel bound(first, tensors);
  Instruments instruments = make_instruments(first.isa(), threads);
  std::vector<PairedResult> results;
  for (const Kernel& other : others) {
    const BoundKernel rival(other, tensors);
    results.push_back(measure_pair(
        workload_of(bound, options.regime), workload_of(rival, options.regime), instruments,
        {.budget_seconds = options.budget_seconds, .enough = kPairs, .stop = stop_requested}));
  }
  return results;
}

}  // namespace tileplan
