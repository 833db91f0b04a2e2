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
  std::int64_t way_elements = 1;  ///< Only the rule `ways` uses this size of a way, in units.

  // NOLINTBEGIN(readability-identifier-naming): These constants are named as values of Capacity.
  static const CapacityRule ideal;
  static const CapacityRule lru2;
  // NOLINTEND(readability-identifier-naming)
};
inline constexpr CapacityRule CapacityRule::ideal{Capacity::ideal, 1};
inline constexpr CapacityRule CapacityRule::lru2{Capacity::lru2, 1};

CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the number of units that must fit so that the tile is reused, which is the sum of
/// footprints by `rule`. `next` is the dim of the next active loop outside the tile, if there is
/// one. The rule `lru2` doubles its size, but not beyond its extent.
std::int64_t required(const Computation& computation, const Tile& tile, std::optional<Dim> next,
                      CapacityRule rule);

struct Storage {
  const TensorLayout& input;
  const TensorLayout& output;
  std::int64_t line_bytes = 64;
  /// The address of a cache line selects one of this many sets. With 0, the sets are unknown.
  std::int64_t sets = 0;
  std::int64_t ways = 0;
  /// The address of the page selects one of this many sets of the cache for each of the `sets`
  /// sets.
  std::int64_t colours = 1;
  /// Weights that are read in place have this layout. Packed weights have no gaps and need none.
  const TensorLayout* weights = nullptr;
};

/// Returns the number of units in the cache lines that `tile` touches. The result is at least the
/// footprint, because rows of a few pixels or channels use only a part of their cache lines.
std::int64_t whole_lines(const Computation& computation, const Tile& tile, const Storage& storage);

/// Holds a tensor with too many cache lines in a set.
struct CrowdedSet {
  Operand operand = Operand::input;
  std::int64_t lines = 0;  ///< The fullest set gets this many lines. It is 0 when the ways suffice.
};

/// Returns the first of the input, the output and weights in place of which more than a quarter of
/// the cache lines of `tile` exceed the ways of their sets: eq. (A). A tile with so many conflicts
/// does not stay in the cache (docs/experiments.md).
CrowdedSet crowded_set(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the number of sets of `cache`, at least one.
std::int64_t sets_of(const CacheLevel& cache);

/// Describes how `cache` stores tensors. `is_first` marks the innermost cache, which is
/// virtually indexed. Outer caches are physically indexed: the place in a page of 4096 bytes is
/// known, and pages have random colours.
Storage storage_in(const CacheLevel& cache, bool is_first, const TensorLayout& input,
                   const TensorLayout& output, const TensorLayout* weights = nullptr);

/// Returns how many caches of this level `cores` cores use: one if shared, else one per core.
inline int caches_of(const CacheLevel& cache, int cores) {
  return cache.shared_by_cores > 1 ? 1 : cores;
}

/// Returns the number of bytes of `cache` that tiles may fill (phi S in models/README.md).
double usable_bytes(const CacheLevel& cache);
double usable_elements(const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns a bound on the elements that `cores` cores hold at once, from which bounds on the
/// traffic into cache `at` of `machine` follow. It is the largest joint capacity of the registers
/// or of one cache level up to `at`, and at least 1.
double held_elements(const Machine& machine, std::size_t at, int cores);

/// Returns the number of cache lines that exceed the ways of their sets in a virtually indexed
/// cache: eq. (A). `lines` holds their byte addresses, which are multiples of `line_bytes`.
std::int64_t overflowing_lines(const std::vector<std::int64_t>& lines, std::int64_t line_bytes,
                               int sets, int ways);

}  // namespace tileplan
