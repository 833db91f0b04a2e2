// SPDX-License-Identifier: Apache-2.0
// This file helps to compare the model of flat.h with simulated caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

#include "flat.h"
#include "movement.h"
#include "random_computation.h"

namespace tileplan {

// The rule lru2 (capacity.h) considers only the next loop outside a tile. When a window slides
// along that loop, a restart of the loop can evict more elements than the rule expects. Even then,
// the number of misses of an LRU cache times this share is at most the modelled volume.
constexpr double kSlidingShare = 0.7;

// Returns true when a window slides over a tensor, which means that two dimensions with extents
// above 1 share an index.
inline bool slides(const Computation& computation) {
  const auto moves = [&](const Term& term) { return computation.extent(term.dim) > 1; };
  for (const TensorAccess& tensor : computation.tensors)
    for (const DataDim& data : tensor.data)
      if (std::count_if(data.terms.begin(), data.terms.end(), moves) > 1) return true;
  return false;
}

inline std::int64_t iterations(const Computation& computation) {
  return std::accumulate(computation.extents.begin(), computation.extents.end(), std::int64_t{1},
                         std::multiplies<>());
}

inline std::int64_t sum(const PerTensor<std::int64_t>& volumes) {
  return volumes[Operand::input] + volumes[Operand::weights] + volumes[Operand::output];
}

constexpr CapacityRule kRules[] = {CapacityRule::ideal, CapacityRule::lru2};

/// Returns true if both rules predict that both nests move equally many elements of each tensor
/// into caches of 1, 2, 4, ... elements, up to the size of all tensors together.
inline bool move_alike(const Computation& computation, const Nest& one, const Nest& other) {
  const auto everything =
      required(computation, toy::whole(computation), std::nullopt, CapacityRule::ideal);
  for (const CapacityRule rule : kRules)
    for (std::int64_t capacity = 1; capacity <= everything; capacity *= 2)
      if (flat_volumes(computation, one, capacity, rule) !=
          flat_volumes(computation, other, capacity, rule))
        return false;
  return true;
}

}  // namespace tileplan
