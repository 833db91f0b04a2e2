// SPDX-License-Identifier: Apache-2.0
// These functions count the units that must fit in a cache, and cache lines that share its sets:
// models/README.md eq. (C), (A). A unit is the smallest element (Computation::unit_bytes), so
// tensors of one type are counted in elements.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "integers.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"

namespace tileplan {

/// Selects the data that must fit into a cache. `ideal` counts the footprints of one tile. `lru2`
/// counts those of two consecutive tiles by doubling the size along the next active loop. `ways`
/// counts one tile and rounds the footprint of each tensor up to whole ways.
struct CapacityRule {
  Capacity kind = Capacity::lru2;
  /// Gives the size of a way in units (Computation::unit_bytes). Only the rule `ways` uses it.
  std::int64_t way_elements = 1;

  // NOLINTBEGIN(readability-identifier-naming): These constants are named like the values of
  // Capacity.
  static const CapacityRule ideal;
  static const CapacityRule lru2;
  // NOLINTEND(readability-identifier-naming)
};
inline constexpr CapacityRule CapacityRule::ideal{Capacity::ideal, 1};
inline constexpr CapacityRule CapacityRule::lru2{Capacity::lru2, 1};

/// Returns the rule `kind` for `cache`, with the size of its ways in units of `unit_bytes`.
CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns the number of units that must fit so that the tile is reused, which is the sum of
/// footprints by `rule`. `next` is the dimension of the next active loop outside the tile, if there
/// is one. The rule `lru2` doubles the tile's size along `next`, but not beyond the extent.
std::int64_t required(const Computation& computation, const Tile& tile, std::optional<Dim> next,
                      CapacityRule rule);

struct Storage {
  const TensorLayout& input;
  const TensorLayout& output;
  std::int64_t line_bytes = 64;
  /// Counts the sets that the known bits of an address distinguish, or is 0 when the sets are
  /// unknown.
  std::int64_t sets = 0;
  std::int64_t ways = 0;
  /// Counts the sets that lines with equal known bits may fall into. The unknown address of the
  /// page or the hash selects one of them.
  std::int64_t colours = 1;
  /// Points to the layout of weights that are read in place. It is null for packed weights, which
  /// have no gaps.
  const TensorLayout* weights = nullptr;
};

/// Returns the number of units in the cache lines that `tile` touches. The result is at least the
/// footprint, and larger when rows of a few pixels or channels use only a part of their cache
/// lines. Packed weights count by their footprint.
std::int64_t whole_lines(const Computation& computation, const Tile& tile, const Storage& storage);

/// Names a tensor with too many cache lines in a set.
struct CrowdedSet {
  Operand operand = Operand::input;
  /// Counts the lines that the fullest set is expected to hold. It is 0 when no tensor has too
  /// many.
  std::int64_t lines = 0;
};

/// Returns the first of input, output and weights that conflicts with itself in `tile`, eq. (A): at
/// least a quarter of its cache lines, or a tenth for weights in place, are expected to exceed the
/// ways of their sets. A tile with so many conflicts does not stay in the cache
/// (docs/experiments.md). Packed weights never conflict, and nothing does if Storage::sets is 0.
CrowdedSet crowded_set(const Computation& computation, const Tile& tile, const Storage& storage);

/// Returns the number of sets of `cache`, at least one.
std::int64_t sets_of(const CacheLevel& cache);

/// Describes how `cache` stores tensors. `is_first` marks the innermost cache, which is virtually
/// indexed. Outer caches are physically indexed: only the position of a line in its page of 4096
/// bytes is known, and the address of the page is random. No bit is known where a hash selects the
/// set of an outer cache. The result refers to the layouts, which must outlive it.
Storage storage_in(const CacheLevel& cache, bool is_first, const TensorLayout& input,
                   const TensorLayout& output, const TensorLayout* weights = nullptr);

/// Returns how many caches of this level the model counts for `cores` cores: one per core if they
/// are private, and one if they are shared, even when `cores` exceeds CacheLevel::shared_by_cores.
inline int caches_of(const CacheLevel& cache, int cores) {
  return cache.shared_by_cores > 1 ? 1 : cores;
}

/// Returns how many caches of this level `cores` cores use. Cores that share a cache are assumed to
/// be next to each other, so that they use as few caches as possible.
inline int caches_used(const CacheLevel& cache, int cores) {
  return static_cast<int>(ceil_div(cores, cache.shared_by_cores));
}

/// Counts the caches of a level that some cores use: caches_of() or caches_used().
using CacheCount = int (*)(const CacheLevel& cache, int cores);

/// Returns the number of bytes of `cache` that tiles may fill (phi S in models/README.md).
double usable_bytes(const CacheLevel& cache);
double usable_units(const CacheLevel& cache, std::int64_t unit_bytes);

/// Returns a bound on the units of `unit_bytes` that `cores` cores hold at once, from which bounds
/// on the traffic into cache `at` of `machine` follow. It is the largest joint capacity of the
/// registers or of the usable parts of `caches` caches of one level up to `at`, and at least 1.
double held_units(const Machine& machine, std::size_t at, int cores, std::int64_t unit_bytes,
                  CacheCount caches = caches_used);

/// Returns the number of cache lines that exceed the ways of their sets in a virtually indexed
/// cache: eq. (A). `lines` holds their byte addresses, which are multiples of `line_bytes`.
std::int64_t overflowing_lines(const std::vector<std::int64_t>& lines, std::int64_t line_bytes,
                               int sets, int ways);

}  // namespace tileplan
