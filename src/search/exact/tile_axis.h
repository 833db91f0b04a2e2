// SPDX-License-Identifier: Apache-2.0
// This file lists the sizes that a tile may have along one dim, and how they nest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dims.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// A tile is cut into equal tiles. `uneven` also cuts it into blocks of two sizes that are as equal
/// as possible, written L(d,[a*x,b*y]) around R(d).
enum class Splits { equal, uneven };

/// Describes tiles of one size, or an uneven split into `large` and then `small` blocks, in
/// iterations.
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

/// Splits `extent` into `count` blocks that are multiples of `unit` and as equal as possible.
/// Requires that `unit` divides `extent` and 1 <= count <= extent / unit. Example: 68 in units of 4
/// splits into 5 blocks, 2 of 16 and then 3 of 12.
Blocks blocks_of(std::int64_t extent, std::int64_t unit, std::int64_t count);

/// Returns the uneven split of `extent` that tile_axis lists with blocks of at most `largest` that
/// tiles of `inside` iterations divide. Requires that there is one.
Blocks uneven_blocks(std::int64_t extent, std::int64_t largest, std::int64_t inside);

/// Lists some tiles of a dim.
struct TileList {
  std::vector<std::int16_t> positions;  ///< Positions are ascending.
  /// Each position has the next larger tile of the list that replaces it at no loss, or -1.
  std::vector<std::int16_t> next;
};

/// Holds the legal tiles of a dim that is larger than the base box. Equal tiles are multiples of
/// the base that divide the extent. When the dim is coarse, Splits::uneven adds uneven splits of
/// each equal tile. Their blocks have at least two units, and a unit is a multiple of the base.
/// Among splits with one largest block, only the one with fewest blocks is listed. Tiles inside an
/// uneven split are equal.
struct TileAxis {
  Dim dim{};
  bool reduction = false;
  double tiles = 0;      ///< Each equal tile counts once, even if uneven splits repeat it.
  bool thinned = false;  ///< Some tiles were left out.
  std::vector<Blocks> blocks;
  /// Each position has this largest block, in ascending order.
  std::vector<double> sizes;
  /// Each position has this mean block, which decides the volumes of a tile.
  std::vector<double> means;
  /// All blocks of a position can be cut into the tiles of its list.
  std::vector<TileList> inside;
  /// Each list holds the tiles that need not be cut further: no tile with a smaller largest block
  /// has a mean as large. The lists are empty without uneven splits.
  std::vector<TileList> innermost;
  /// The value at [top][position] is the mean block of the top divided by that of the position.
  std::vector<std::vector<double>> trips;
};

/// Equal tiles have at most this many sizes, because tables grow with the square of the number.
/// Extents below 1081080 have no more divisors.
constexpr std::size_t kMostSizes = 255;

/// Returns the axis of `dim`. Of more than kMostSizes sizes, it lists kMostSizes at even distances,
/// the base and the extent among them, and no uneven splits. More than a thousand uneven splits are
/// all left out. Requires that `base` divides `extent`.
TileAxis tile_axis(Dim dim, std::int64_t base, std::int64_t extent, Splits splits);

/// Returns true when two neighbouring divisors of `blocks` are more than a factor 2 apart. Tiles
/// that divide may then fill less than half a cache.
bool is_coarse(std::int64_t blocks);

}  // namespace tileplan
