// SPDX-License-Identifier: Apache-2.0
// The sizes that a tile may have along one dim, and which of them may stand inside which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dims.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// How a tile may be cut into the tiles inside it: into equal ones, or also into blocks of two
/// sizes, as equal as possible, written L(d,[a*x,b*y]) around R(d).
enum class Splits { equal, uneven };

/// The tiles of one size: `large` and, of an uneven split, `small`er ones after it (0 times: none).
/// Sizes in iterations.
struct Blocks {
  Part large{1, 1};
  Part small{0, 0};

  bool is_uneven() const { return small.times > 0; }
  double mean() const {
    return static_cast<double>(large.times * large.size + small.times * small.size) /
           static_cast<double>(large.times + small.times);
  }
  bool operator==(const Blocks&) const = default;
};

/// `extent` in `count` blocks as equal as they can be, multiples of `unit`. Requires: `unit`
/// divides `extent`, 1 <= count <= extent / unit. Example: 68 by 4 in 5 are 2 x 16, then 3 x 12.
Blocks blocks_of(std::int64_t extent, std::int64_t unit, std::int64_t count);

/// The uneven split of `extent` with blocks of at most `largest` that tile_axis lists and that
/// tiles of `inside` iterations divide. Requires that there is one.
Blocks uneven_blocks(std::int64_t extent, std::int64_t largest, std::int64_t inside);

/// Some tiles of a dim.
struct TileList {
  std::vector<std::int16_t> positions;  ///< ascending
  /// Per position of the dim: the next larger one of the list that replaces it at no loss, or -1.
  std::vector<std::int16_t> next;
};

/// A dim that is larger than the base box, with its legal tiles: equal ones, multiples of the base
/// that divide the extent; and with Splits::uneven, where it is coarse, the uneven splits of each
/// of them into blocks of at least two units, a unit being a multiple of the base. Of all splits
/// with one largest block, only that of fewest blocks is listed. What is inside an uneven split is
/// not split unevenly again.
struct TileAxis {
  Dim dim{};
  bool reduction = false;
  double tiles = 0;      ///< different ones: equal tiles inside an uneven split have own positions
  bool thinned = false;  ///< there are more tiles than these
  std::vector<Blocks> blocks;
  /// Per position: the largest block, ascending.
  std::vector<double> sizes;
  /// Per position: the mean block. Volumes of a tile are those of its mean block.
  std::vector<double> means;
  /// Per position: the tiles into which all its blocks can be cut.
  std::vector<TileList> inside;
  /// With uneven splits, the same for tiles that are not cut further: those that no other with a
  /// smaller largest block replaces. Empty without.
  std::vector<TileList> innermost;
  /// [top][position]: mean over mean.
  std::vector<std::vector<double>> trips;
};

/// Most sizes of equal tiles: extents below 1081080 have no more divisors. Tables are square in the
/// number of tiles.
constexpr std::size_t kMostSizes = 255;

/// Of more than kMostSizes sizes, as many at even distances in their order, the base and the extent
/// among them, and no uneven splits. Nor are there uneven splits where they were more than a
/// thousand. Requires: `base` divides `extent`.
TileAxis tile_axis(Dim dim, std::int64_t base, std::int64_t extent, Splits splits);

/// True when two neighbouring divisors of `blocks` are more than a factor 2 apart: tiles that
/// divide may then fill less than half a cache.
bool is_coarse(std::int64_t blocks);

}  // namespace tileplan
