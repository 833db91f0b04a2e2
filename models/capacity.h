// SPDX-License-Identifier: Apache-2.0
// Counts what must fit in a cache. models/README.md eq. (C).
//
// Capacities and needs are counted in units of the smallest element (Computation::unit_bytes), so
// that tensors of one type are counted in elements.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"

namespace tileplan {

/// Says how footprints are added up. `ideal` counts one tile, `lru2` two consecutive ones (the dim
/// of the next active loop doubled), `ways` one tile, each tensor rounded up to whole ways.
struct CapacityRule {
  Capacity kind = Capacity::lru2;
  std::int64_t way_elements = 1;  ///< of `ways` only, in units

  // NOLINTBEGIN(readability-identifier-naming): named as the values of Capacity that they hold.
  static const CapacityRule ideal;
  static const CapacityRule lru2;
  // NOLINTEND(readability-identifier-naming)
};
inline constexpr CapacityRule CapacityRule::ideal{Capacity::ideal, 1};
inline constexpr CapacityRule CapacityRule::lru2{Capacity::lru2, 1};

/// Returns the rule of `kind` in `cache`.
CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the units that must fit so that the tile is reused: the sum of footprints by `rule`.
/// `next` is the next active loop outside the tile, doubled at most to its extent, if there is one.
std::int64_t required(const Computation& computation, const Tile& tile, std::optional<Dim> next,
                      CapacityRule rule);

/// Holds where the activations lie, and how a cache holds their lines.
struct Storage {
  const TensorLayout& input;
  const TensorLayout& output;
  std::int64_t line_bytes = 64;
  std::int64_t sets = 0;  ///< of a cache indexed by addresses; 0: lines lie anywhere
  std::int64_t ways = 0;
};

/// Returns the units in the lines that `tile` touches. They are at least its footprint, as rows of
/// a few pixels or channels bring what lies beside them. Weights are packed without gaps.
std::int64_t whole_lines(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the input lines of `tile` in the fullest set when the sets are crowded, else 0. They are
/// crowded when more than a quarter of the lines find no way in their sets, eq. (A); such a tile
/// does not stay in the cache (docs/experiments.md).
std::int64_t crowded_ways(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the number of sets of `cache`, at least one.
std::int64_t sets_of(const CacheLevel& cache);

/// Returns how `cache` stores activations that lie so. `is_first` marks the innermost cache, which
/// addresses index; the pages of caches behind it lie anywhere.
Storage storage_in(const CacheLevel& cache, bool is_first, const TensorLayout& input,
                   const TensorLayout& output);

/// Returns how many caches like `cache` are filled by `cores` cores: one each, or the shared one.
inline int caches_of(const CacheLevel& cache, int cores) {
  return cache.shared_by_cores > 1 ? 1 : cores;
}

/// Returns what the model plans to keep in `cache`: phi S.
double usable_bytes(const CacheLevel& cache);
double usable_elements(const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the elements of the vector unit that `cores` cores keep inside the link that fills cache
/// `at` of `machine`, for bounds on the traffic of that link. It is the largest of what the
/// registers and the caches of each level up to `at` hold together, and at least 1.
double held_elements(const Machine& machine, std::size_t at, int cores);

/// Returns the lines beyond the ways, summed over the sets of a virtually indexed cache, when it
/// holds the lines at byte addresses `lines` (multiples of the line size). Eq. (A).
std::int64_t overflowing_lines(const std::vector<std::int64_t>& lines, std::int64_t line_bytes,
                               int sets, int ways);

}  // namespace tileplan
