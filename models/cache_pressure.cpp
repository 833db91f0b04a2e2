// SPDX-License-Identifier: Apache-2.0
// The size of a tensor includes its padding in this file.
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

}  // namespace

bool crowds_caches(const Computation& computation, const Machine& machine, int cores) {
  constexpr double kCrowded = 0.25;
  const std::vector<CacheLevel>& caches = machine.caches;
  if (caches.empty()) return false;
  double before_last = 0;
  if (caches.size() > 1) {
    const CacheLevel& cache = caches[caches.size() - 2];
    before_last = caches_of(cache, cores) * usable_bytes(cache);
  }
  return bytes_of_all(computation) > kCrowded * static_cast<double>(caches.back().capacity_bytes) &&
         bytes_of(computation, computation.tensor(Operand::output)) > before_last;
}

bool leaves_caches(const Computation& computation, const Machine& machine) {
  return !machine.caches.empty() && bytes_of_all(computation) > usable_bytes(machine.caches.back());
}

}  // namespace tileplan
