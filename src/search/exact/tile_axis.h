// SPDX-License-Identifier: Apache-2.0
// This file lists the sizes that a tile may have along one dim, and how they nest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dims.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// A tile is cut into equal tiles. With `uneven` it is also cut into blocks of two sizes that are
/// as equal as possible, written L(d,[a*x,b*y]) around R(d).
enum class Splits { equal, uneven };

/// Describes the tiles of one size, in iterations. An uneven split ends with `small`er ones.
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

/// Splits `extent` into `count` blocks as equal as they can be, multiples of `unit`. Requires that
/// `unit` divides `extent` and 1 <= count <= extent / unit. Example: 68 by 4 in 5 are 2 x 16, then
/// 3 x 12.
Blocks blocks_of(std::int64_t extent, std::int64_t unit, std::int64_t count);

/// Returns the uneven split of `extent` that tile_axis lists with blocks of at most `largest`,
/// which tiles of `inside` iterations divide. Requires that there is one.
Blocks uneven_blocks(std::int64_t extent, std::int64_t largest, std::int64_t inside);

/// Lists some tiles of a dim.
struct TileList {
  std::vector<std::int16_t> positions;  ///< They are ascending.
  /// It is the next larger tile of the list that replaces a position at no loss, or -1.
  std::vector<std::int16_t> next;
};

/// Holds the legal tiles of a dim that is larger than the base box. Equal tiles are multiples of
/// the base that divide the extent. Where the dim is coarse, Splits::uneven adds the uneven splits
/// of each of them into blocks of at least two units, which are multiples of the base. Among splits
/// with one largest block, only the one with fewest blocks is listed. Tiles inside an uneven split
/// are equal.
struct TileAxis {
  Dim dim{};
  bool reduction = false;
  double tiles = 0;      ///< It counts equal tiles once, also where uneven splits repeat them.
  bool thinned = false;  ///< There are more tiles than these.
  std::vector<Blocks> blocks;
  /// It is the largest block of each position, ascending.
  std::vector<double> sizes;
  /// It is the mean block of each position, which decides the volumes of a tile.
  std::vector<double> means;
  /// All blocks of a position can be cut into these tiles.
  std::vector<TileList> inside;
  /// Holds the tiles that are not cut further: no other with a smaller largest block replaces them.
  /// It is empty without uneven splits.
  std::vector<TileList> innermost;
  /// It is the mean of the top divided by the mean of the position, as [top][position].
  std::vector<std::vector<double>> trips;
};

/// Equal tiles have at most so many sizes, because tables are square in their number. Extents below
/// 1081080 have no more divisors.
constexpr std::size_t kMostSizes = 255;

/// Returns the axis of `dim`. When there are more than kMostSizes sizes, as many at even distances
/// are listed, the base and the extent among them, without uneven splits. More than a thousand
/// uneven splits are left out too. Requires that `base` divides `extent`.
TileAxis tile_axis(Dim dim, std::int64_t base, std::int64_t extent, Splits splits);

/// Returns true when two neighbouring divisors of `blocks` are more than a factor 2 apart. Tiles
/// that divide may then fill less than half a cache.
bool is_coarse(std::int64_t blocks);

}  // namespace tileplan
