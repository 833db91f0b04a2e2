// SPDX-License-Identifier: Apache-2.0
// These functions count the units that must fit in a cache: models/README.md eq. (C). A unit is the
// smallest element (Computation::unit_bytes), so tensors of one type are counted in elements.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"

namespace tileplan {

/// Defines the sum of footprints. `ideal` counts one tile, `lru2` two consecutive ones (the dim of
/// the next active loop doubled), `ways` one tile, each tensor rounded up to whole ways.
struct CapacityRule {
  Capacity kind = Capacity::lru2;
  std::int64_t way_elements = 1;  ///< Only `ways` reads this number of units.

  // NOLINTBEGIN(readability-identifier-naming): These constants are named as values of Capacity.
  static const CapacityRule ideal;
  static const CapacityRule lru2;
  // NOLINTEND(readability-identifier-naming)
};
inline constexpr CapacityRule CapacityRule::ideal{Capacity::ideal, 1};
inline constexpr CapacityRule CapacityRule::lru2{Capacity::lru2, 1};

CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the units that must fit so that the tile is reused: the sum of footprints by `rule`.
/// `next` is the next active loop outside the tile, doubled at most to its extent, if there is one.
std::int64_t required(const Computation& computation, const Tile& tile, std::optional<Dim> next,
                      CapacityRule rule);

/// Describes how a cache stores the activations.
struct Storage {
  const TensorLayout& input;
  const TensorLayout& output;
  std::int64_t line_bytes = 64;
  std::int64_t sets = 0;  ///< It is 0 where pages lie anywhere, so that sets are unknown.
  std::int64_t ways = 0;
};

/// Returns the units in the cache lines that `tile` touches, which rows of a few pixels or channels
/// fill in part. They are at least its footprint. Weights are packed without gaps.
std::int64_t whole_lines(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the input cache lines of `tile` in the fullest set when the sets are crowded, else 0.
/// They are crowded when more than a quarter of the cache lines exceed the ways of their sets, eq.
/// (A). Such a tile does not stay in the cache (docs/experiments.md).
std::int64_t crowded_ways(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the number of sets of `cache`, at least one.
std::int64_t sets_of(const CacheLevel& cache);

/// Describes how `cache` stores activations. `is_first` marks the innermost cache, which addresses
/// index. The pages of outer caches lie anywhere.
Storage storage_in(const CacheLevel& cache, bool is_first, const TensorLayout& input,
                   const TensorLayout& output);

/// Returns the number of caches like `cache` that `cores` cores fill.
inline int caches_of(const CacheLevel& cache, int cores) {
  return cache.shared_by_cores > 1 ? 1 : cores;
}

/// Returns the part of `cache` that the model plans with: phi S.
double usable_bytes(const CacheLevel& cache);
double usable_elements(const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the elements of the vector unit that `cores` cores keep inside the link that fills cache
/// `at` of `machine`, for bounds on its traffic. It is the largest joint capacity of the registers
/// or of one level up to `at`, and at least 1.
double held_elements(const Machine& machine, std::size_t at, int cores);

/// Returns the cache lines that exceed the ways, summed over the sets of a virtually indexed cache,
/// when it holds those at byte addresses `lines` (multiples of the line size): eq. (A).
std::int64_t overflowing_lines(const std::vector<std::int64_t>& lines, std::int64_t line_bytes,
                               int sets, int ways);

}  // namespace tileplan
