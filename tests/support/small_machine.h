// SPDX-License-Identifier: Apache-2.0
// This file makes and draws machines, and makes kernels, for tests of the search.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "capacity.h"
#include "kernels.h"
#include "random_computation.h"

namespace tileplan::toy {

struct Level {
  double elements = 0;
  double elements_per_unit = 1;
};

/// Returns a machine whose caches can be used up to the last element. A store, which first reads
/// the cache line, takes twice as long as a read, so that a write-back costs as much as a read.
inline Machine machine_of(const std::vector<Level>& levels, int lanes) {
  Machine machine;
  machine.clock.hertz = 1e9;
  machine.vector.lanes = lanes;
  for (const Level& level : levels) {
    CacheLevel& cache = machine.caches.emplace_back();
    cache.name = std::string("L").append(std::to_string(machine.caches.size()));
    cache.capacity_bytes = static_cast<std::int64_t>(4 * level.elements);
    cache.fill_bytes_per_second = 4 * level.elements_per_unit;
    cache.write_bytes_per_second = cache.fill_bytes_per_second / 2;
  }
  return machine;
}

/// Draws one of `values`, each with the same probability. Requires that `values` is not empty.
inline std::int64_t pick(Random& random, const std::vector<std::int64_t>& values) {
  return values[static_cast<std::size_t>(uniform(random, 0, std::ssize(values) - 1))];
}

inline KernelCombo kernel(const Computation& computation, const Sizes& sizes) {
  KernelCombo combo;
  combo.base = tile(computation, sizes);
  combo.vectorised = vectorised_dim(computation, 1);
  return combo;
}

/// Draws a machine whose caches have at least 8 elements, and mostly fewer than the tensors of
/// `computation` together.
inline Machine small_machine(const Computation& computation, int levels, Random& random) {
  const auto all = required(computation, whole(computation), std::nullopt, CapacityRule::ideal);
  std::vector<Level> sizes;
  double elements = 6;
  for (int l = 0; l < levels; ++l) {
    elements += static_cast<double>(uniform(random, 2, std::max<std::int64_t>(3, all / 3)));
    sizes.push_back({elements, static_cast<double>(uniform(random, 1, 8))});
  }
  return machine_of(sizes, 1);
}

}  // namespace tileplan::toy
