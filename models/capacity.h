// SPDX-License-Identifier: Apache-2.0
// What must fit in a cache. models/README.md eq. (C).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "computation.h"
#include "dims.h"
#include "tileplan/machine.h"
#include "tileplan/options.h"

namespace tileplan {

/// How footprints are added up. `ideal`: of one tile; `lru2`: of the union of two consecutive ones,
/// the dim of the next active loop doubled; `ways`: of one tile, each rounded up to whole ways.
struct CapacityRule {
  Capacity kind = Capacity::lru2;
  std::int64_t way_elements = 1;  ///< of `ways` only

  // NOLINTBEGIN(readability-identifier-naming): named as the values of Capacity that they hold.
  static const CapacityRule ideal;
  static const CapacityRule lru2;
  // NOLINTEND(readability-identifier-naming)
};
inline constexpr CapacityRule CapacityRule::ideal{Capacity::ideal, 1};
inline constexpr CapacityRule CapacityRule::lru2{Capacity::lru2, 1};

/// The rule of `kind` in `cache`.
CapacityRule rule_for(Capacity kind, const CacheLevel& cache, std::int64_t element_bytes);

/// Elements that must fit so that the tile is reused: sum of footprints by `rule`; `next` is the
/// next active loop outside the tile (none: the tile is the whole), doubled at most to its extent.
std::int64_t required(const Computation& computation, const Tile& tile, std::optional<Dim> next,
                      CapacityRule rule);
double required(const Computation& computation, const PerDim<double>& tile, std::optional<Dim> next,
                CapacityRule rule);

/// Where the activations lie, of which caches hold whole lines of `line` elements.
struct Storage {
  const TensorLayout& input;
  const TensorLayout& output;
  std::int64_t line = 1;
  std::int64_t sets = 0;  ///< of a cache indexed by addresses; 0: lines lie anywhere
  std::int64_t ways = 0;
};

/// Elements of the lines that `tile` touches: at least its footprint, as rows of a few pixels or
/// channels bring what lies beside them. Weights are packed without gaps.
std::int64_t whole_lines(const Computation& computation, const Tile& tile, const Storage& storage);

/// Input lines of `tile` in the fullest set where they crowd: where more than a quarter of them
/// have no way in their sets, eq. (A), so that the tile does not stay; else 0. Depthwise tiles of
/// 54 lines with 6 too many run as fast as without, those of 90 with 26 too many at half of it (56
/// x 56 pixels of 128 channels in nhwc, Zen 4, 2026-11-22).
std::int64_t crowded_ways(const Computation& computation, const Tile& tile, const Storage& storage);

/// Sets of `cache`, at least one.
std::int64_t sets_of(const CacheLevel& cache);

/// What `cache` holds of activations that lie so. `is_first`: the innermost cache, which addresses
/// index; pages of those behind it lie anywhere.
Storage storage_in(const CacheLevel& cache, bool is_first, std::int64_t element_bytes,
                   const TensorLayout& input, const TensorLayout& output);

/// Caches like `cache` that `cores` cores fill: one each, or the one that they share.
inline int caches_of(const CacheLevel& cache, int cores) {
  return cache.shared_by_cores > 1 ? 1 : cores;
}

/// What the model plans to keep in `cache`: phi S.
double usable_bytes(const CacheLevel& cache);
double usable_elements(const CacheLevel& cache, std::int64_t element_bytes);

/// What `cores` cores keep inside the link that fills cache `at` of `machine`, for bounds on what
/// crosses it: usable elements of the caches of that level together, of those of a level before it
/// or of the registers, whichever is most. At least 1. Requires: `at` is a level.
double held_elements(const Machine& machine, std::size_t at, int cores);

/// Lines beyond the ways, summed over the sets of a virtually indexed cache, when it holds the
/// lines at byte addresses `lines` (multiples of the line size). Eq. (A).
std::int64_t overflowing_lines(const std::vector<std::int64_t>& lines, std::int64_t line_bytes,
                               int sets, int ways);

}  // namespace tileplan
