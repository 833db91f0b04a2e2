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

/// Selects the sum of footprints that must fit. `ideal` counts one tile. `lru2` counts two
/// consecutive tiles by doubling the dim of the next active loop. `ways` counts one tile and rounds
/// each tensor up to whole ways.
struct CapacityRule {
  Capacity kind = Capacity::lru2;
  std::int64_t way_elements = 1;  ///< A way holds this many units; only `ways` reads it.

  // NOLINTBEGIN(readability-identifier-naming): These constants are named as values of Capacity.
  static const CapacityRule ideal;
  static const CapacityRule lru2;
  // NOLINTEND(readability-identifier-naming)
};
inline constexpr CapacityRule CapacityRule::ideal{Capacity::ideal, 1};
inline constexpr CapacityRule CapacityRule::lru2{Capacity::lru2, 1};

CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the number of units that must fit so that the tile is reused: the sum of footprints by
/// `rule`. `next` is the dim of the next active loop outside the tile, if there is one. Its size is
/// doubled, but not beyond its extent.
std::int64_t required(const Computation& computation, const Tile& tile, std::optional<Dim> next,
                      CapacityRule rule);

/// Describes how a cache stores the activations.
struct Storage {
  const TensorLayout& input;
  const TensorLayout& output;
  std::int64_t line_bytes = 64;
  std::int64_t sets = 0;  ///< In physically indexed caches sets are unknown, and this is 0.
  std::int64_t ways = 0;
};

/// Returns the number of units in the cache lines that `tile` touches, at least its footprint. Rows
/// of a few pixels or channels use only a part of their cache lines. Weights are packed without
/// gaps.
std::int64_t whole_lines(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the number of input cache lines of `tile` in the fullest set when more than a quarter of
/// all its cache lines exceed the ways of their sets, else 0: eq. (A). A tile with so many
/// conflicts does not stay in the cache (docs/experiments.md).
std::int64_t crowded_ways(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the number of sets of `cache`, at least one.
std::int64_t sets_of(const CacheLevel& cache);

/// Describes how `cache` stores activations. `is_first` marks the innermost cache, which is
/// virtually indexed. Outer caches are physically indexed, so their sets are unknown.
Storage storage_in(const CacheLevel& cache, bool is_first, const TensorLayout& input,
                   const TensorLayout& output);

/// Returns the number of caches of the level of `cache` that `cores` cores fill.
inline int caches_of(const CacheLevel& cache, int cores) {
  return cache.shared_by_cores > 1 ? 1 : cores;
}

/// Returns the part of `cache` that tiles may fill: phi S.
double usable_bytes(const CacheLevel& cache);
double usable_elements(const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the number of elements that the registers and caches of `cores` cores hold up to cache
/// `at` of `machine`, for bounds on the traffic that fills cache `at`. The number is the largest
/// joint capacity of the registers or of one level up to `at`, and at least 1.
double held_elements(const Machine& machine, std::size_t at, int cores);

/// Returns the number of cache lines that exceed the ways of their sets in a virtually indexed
/// cache: eq. (A). The cache lines are at byte addresses `lines`, which are multiples of the line
/// size.
std::int64_t overflowing_lines(const std::vector<std::int64_t>& lines, std::int64_t line_bytes,
                               int sets, int ways);

}  // namespace tileplan
