// SPDX-License-Identifier: Apache-2.0
// models/README.md eq. (N): per-core volumes, operands absent from the parallel dims shared,
// imbalance.
#include "cores.h"

#include <algorithm>

#include "integers.h"

namespace tileplan {
namespace {

/// One step of all cores at once: `across` times as many iterations of `dim` in every tile.
void widen(Nest& nest, Dim dim, std::int64_t across) {
  nest.base[dim] *= across;
  for (NestLoop& loop : nest.loops)
    if (loop.dim == dim)
      for (Part& part : loop.parts) part.size *= across;
}

}  // namespace

Cores cores_of(const Computation& computation, const Nest& nest, int cores) {
  Cores result{.own = {.nest = nest, .copies = {}}, .joint = {.nest = nest, .copies = {}}};
  result.own.copies.values.fill(1);
  result.joint.copies.values.fill(1);
  std::int64_t all = 1;
  for (const NestLoop& loop : nest.loops)
    if (loop.parallel) all *= loop.trips;
  const std::int64_t used = std::clamp<std::int64_t>(all, 1, std::max(cores, 1));
  result.used = static_cast<int>(used);
  result.busiest_share = static_cast<double>(ceil_div(all, used)) / static_cast<double>(all);
  std::int64_t left = used;
  for (std::size_t i = 0; i < nest.loops.size(); ++i) {
    const NestLoop& loop = nest.loops[i];
    if (!loop.parallel) continue;
    const std::int64_t across = std::min(loop.trips, left), trips = ceil_div(loop.trips, across);
    left = ceil_div(left, across);
    result.own.nest.loops[i].trips = result.joint.nest.loops[i].trips = trips;
    widen(result.joint.nest, loop.dim, across);
    for (std::size_t t = 0; t < computation.tensors.size(); ++t) {
      result.own.copies.values[t] *= static_cast<double>(loop.trips) / static_cast<double>(trips);
      if (is_present(computation.tensors[t], loop.dim))
        result.joint.copies.values[t] *=
            static_cast<double>(loop.trips) / static_cast<double>(trips * across);
    }
  }
  return result;
}

}  // namespace tileplan
