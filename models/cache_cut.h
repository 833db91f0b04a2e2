// SPDX-License-Identifier: Apache-2.0
// This model says at which loop a cache starts to keep data, and which box no longer fits:
// models/README.md eq. (C), (X).
#pragma once

#include <optional>

#include "capacity.h"
#include "nest.h"

namespace tileplan {

/// Holds the box and the next loop from which `required` counts the units that must fit, eq. (C).
/// Under LRU2, the box of a whole part of a list of blocks (lambda) includes a block of the
/// neighbouring part.
struct CountedBox {
  Tile box{};
  /// Names the dimension of the next loop outside the box. It is absent for the whole nest and for
  /// a whole part of a lambda.
  std::optional<Dim> next = {};
};

/// Holds the box of the next loop outside a cut, which is too large for the cache or crowds its
/// sets (crowded_set).
struct LargerBox {
  std::size_t loop = 0;  ///< Is the position of the loop that extends the cut to this box.
  CountedBox counted = {};
};

/// Describes the cut of a nest at a cache: the outermost position at which the data of the loops
/// inside fit, as flat_traffic() (flat.h) finds it. If the cut lies inside a list of blocks
/// (lambda), it is that of the branch (branches.h) that loads most bytes.
struct CacheCut {
  std::size_t position = 0;  ///< Counts the loops of the nest outside the cut.
  /// Holds the box of the cut. It fits unless it is the register tile.
  CountedBox counted = {};
  std::optional<LargerBox> larger = {};  ///< Is absent when no active loop is outside the cut.
};

/// Returns the cut that flat_traffic(computation, nest, capacity, rule, storage) uses.
CacheCut cache_cut(const Computation& computation, const Nest& nest, std::int64_t capacity,
                   CapacityRule rule, const Storage* storage = nullptr);

}  // namespace tileplan
