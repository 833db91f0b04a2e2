// SPDX-License-Identifier: Apache-2.0
// Padding counts in the size of a tensor.
#include "cache_pressure.h"

#include "capacity.h"
#include "footprint.h"

namespace tileplan {
namespace {

double bytes_of(const Computation& computation, const TensorAccess& tensor) {
  return static_cast<double>(tensor.element_bytes() * footprint(tensor, extents_of(computation)));
}

double bytes_of_all(const Computation& computation) {
  double bytes = 0;
  for (const TensorAccess& tensor : computation.tensors) bytes += bytes_of(computation, tensor);
  return bytes;
}

/// Returns the bytes that the caches of `cores` cores before the last one keep.
double bytes_before_last(const Machine& machine, int cores) {
  if (machine.caches.size() < 2) return 0;
  const CacheLevel& cache = machine.caches[machine.caches.size() - 2];
  return caches_of(cache, cores) * usable_bytes(cache);
}

}  // namespace

bool crowds_caches(const Computation& computation, const Machine& machine, int cores) {
  constexpr double kCrowded = 0.25;
  if (machine.caches.empty()) return false;
  const auto last = static_cast<double>(machine.caches.back().capacity_bytes);
  return bytes_of_all(computation) > kCrowded * last &&
         bytes_of(computation, computation.tensor(Operand::output)) >
             bytes_before_last(machine, cores);
}

bool leaves_caches(const Computation& computation, const Machine& machine) {
  return !machine.caches.empty() && bytes_of_all(computation) > usable_bytes(machine.caches.back());
}

}  // namespace tileplan
