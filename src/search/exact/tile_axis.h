// SPDX-License-Identifier: Apache-2.0
// This file lists the sizes that a tile may have along one dimension, and which sizes can be cut
// into which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dims.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Selects how a tile may be cut: into equal tiles only, or with `uneven` also into blocks of two
/// sizes that are as equal as possible, written L(d,[a*x,b*y]) around R(d).
enum class Splits { equal, uneven };

/// Describes equal tiles, or an uneven split into `large` then `small` blocks, in iterations.
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

/// Returns the uneven split of `extent` whose larger block is `largest` and whose blocks are
/// multiples of `inside`. Requires that tile_axis lists such a split.
Blocks uneven_blocks(std::int64_t extent, std::int64_t largest, std::int64_t inside);

struct TileList {
  std::vector<std::int16_t> positions;  ///< Lists positions in the TileAxis in ascending order.
  /// Holds, for each position, the next larger tile of the list that can replace it without more
  /// loads, or -1.
  std::vector<std::int16_t> next;
};

/// Holds the legal tile sizes along one dimension that is larger than the base box. Equal tiles are
/// multiples of the base that divide the extent. If the dimension has few divisors (is_coarse),
/// Splits::uneven adds uneven splits of each equal tile in blocks of at least two units, which are
/// multiples of the base, if the tile has at most 1024 units. Tiles inside an uneven split are
/// equal.
struct TileAxis {
  Dim dim{};
  bool reduction = false;
  double tiles = 0;      ///< Counts the tiles. Equal tiles inside uneven splits do not count again.
  bool thinned = false;  ///< Tells whether some tiles were left out.
  std::vector<Blocks> blocks;
  /// Holds the larger block of each position, in ascending order.
  std::vector<double> sizes;
  /// Holds the mean block of each position, which decides the volumes.
  std::vector<double> means;
  /// Lists, for each position, the tiles into which all its blocks can be cut.
  std::vector<TileList> inside;
  /// Lists, for each position, the tiles inside it whose mean block exceeds that of every other
  /// tile whose largest block is not larger. The innermost level needs no others. The list is empty
  /// without uneven splits.
  std::vector<TileList> innermost;
  /// Holds at [outer][inner] the mean block of `outer` divided by that of `inner`.
  std::vector<std::vector<double>> trips;
};

/// Limits the number of sizes of equal tiles, because tables grow with its square. No extent below
/// 1081080 has more divisors.
constexpr std::size_t kMostSizes = 255;

/// Returns the axis of `dim`. If there are more than kMostSizes equal tiles, it lists kMostSizes of
/// them at even distances in the list of all, with the base and the extent, and no uneven splits.
/// If there are more than a thousand uneven splits, it lists none of them. Requires that `base`
/// divides `extent`.
TileAxis tile_axis(Dim dim, std::int64_t base, std::int64_t extent, Splits splits);

/// Returns true when two neighbouring divisors of `blocks` differ by more than a factor of 2. Tiles
/// that divide the extent may then fill less than half a cache.
bool is_coarse(std::int64_t blocks);

}  // namespace tileplan
