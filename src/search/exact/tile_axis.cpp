// SPDX-License-Identifier: Apache-2.0
// This file lists the tile sizes along one dimension and tabulates which size can be cut into
// which.
#include "tile_axis.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "check.h"
#include "integers.h"

namespace tileplan {
namespace {

/// Limits the units of a tile that is split unevenly into multiples of a unit, so that one tile and
/// unit give at most some sixty sizes.
constexpr std::int64_t kMostUnits = 1024;
/// Limits the uneven splits of a dimension, because tables grow with the square of their number. A
/// dimension with more of them gets none.
constexpr std::size_t kMostUneven = 1000;

/// Describes a tile or an uneven split of a tile, in iterations.
struct Entry {
  Blocks blocks;
  std::int64_t whole = 0;  ///< Gives the size of the tile before any split.
  std::int64_t unit = 0;   ///< Divides all blocks.
  bool is_base = false;
  /// Tells whether the tile is one of several equal tiles inside an uneven split.
  bool in_split = false;

  bool holds(const Entry& inner) const {
    if (inner.is_base) return true;
    if (inner.blocks.is_uneven())
      return blocks.is_uneven() ? blocks == inner.blocks : !in_split && whole == inner.whole;
    return unit % inner.unit == 0 && inner.in_split == (in_split || blocks.is_uneven());
  }
  auto sizes() const { return std::pair(blocks.large.size, blocks.mean()); }
};

Entry equal(std::int64_t size, std::int64_t base, bool in_split) {
  return {.blocks = {.large = {1, size}},
          .whole = size,
          .unit = size,
          .is_base = size == base,
          .in_split = in_split};
}

/// Adds the uneven splits of `whole` into blocks of at least two units of `unit` iterations, if
/// `whole` has at most kMostUnits units. Among splits with equal largest blocks, only the one with
/// the fewest blocks is added.
void add_uneven(std::vector<Entry>& entries, std::int64_t whole, std::int64_t unit) {
  const std::int64_t units = whole / unit;
  if (units > kMostUnits) return;
  for (std::int64_t count = 2; 2 * count <= units; ++count)
    if (units % count != 0 && ceil_div(units, count) < ceil_div(units, count - 1))
      entries.push_back({.blocks = blocks_of(whole, unit, count), .whole = whole, .unit = unit});
}

/// Returns `all` if it has at most `most` entries. Otherwise returns `most` of them at even
/// distances in the list, including the first and the last. Requires most >= 2.
std::vector<std::int64_t> thin_out(const std::vector<std::int64_t>& all, std::size_t most) {
  if (all.size() <= most) return all;
  std::vector<std::int64_t> some;
  some.reserve(most);
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

/// Returns the uneven splits of the tiles `base` * factor for all `factors`. Stops when there are
/// more than kMostUneven splits.
std::vector<Entry> uneven_entries(std::int64_t base, const std::vector<std::int64_t>& factors) {
  std::vector<Entry> uneven;
  for (const std::int64_t factor : factors)
    for (const std::int64_t unit : divisors(factor))
      if (uneven.size() <= kMostUneven) add_uneven(uneven, base * factor, base * unit);
  return uneven;
}

struct Entries {
  std::vector<Entry> all;
  bool thinned = false;  ///< Tells whether some tiles were left out.
};

Entries entries_of(std::int64_t base, std::int64_t extent, Splits splits) {
  const std::vector<std::int64_t> all = divisors(extent / base);
  const std::vector<std::int64_t> factors = thin_out(all, kMostSizes);
  Entries entries{.all = {}, .thinned = factors.size() < all.size()};
  std::vector<Entry> uneven;
  if (splits == Splits::uneven && !entries.thinned && is_coarse(extent / base)) {
    uneven = uneven_entries(base, factors);
    entries.thinned = uneven.size() > kMostUneven;
    if (entries.thinned) uneven.clear();
  }
  for (const std::int64_t factor : factors) {
    const std::int64_t size = base * factor;
    entries.all.push_back(equal(size, base, false));
    if (factor > 1 && std::any_of(uneven.begin(), uneven.end(),
                                  [&](const Entry& each) { return each.unit % size == 0; }))
      entries.all.push_back(equal(size, base, true));
  }
  entries.all.insert(entries.all.end(), uneven.begin(), uneven.end());
  std::ranges::sort(entries.all, {}, &Entry::sizes);
  return entries;
}

/// Returns the tiles into which all blocks of `top` can be cut, each with the next larger tile that
/// can be cut into it.
TileList tiles_inside(const std::vector<Entry>& entries, const Entry& top) {
  TileList list{{}, std::vector<std::int16_t>(entries.size(), -1)};
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (top.holds(entries[i])) list.positions.push_back(static_cast<std::int16_t>(i));
  for (auto i = list.positions.begin(); i != list.positions.end(); ++i) {
    const auto found = std::find_if(i + 1, list.positions.end(),
                                    [&](std::int16_t j) { return entries[j].holds(entries[*i]); });
    if (found != list.positions.end()) list.next[*i] = *found;
  }
  return list;
}

/// Returns the tiles of `inside` whose mean block is larger than that of every other tile whose
/// largest block is not larger.
TileList innermost_tiles(const TileAxis& axis, const TileList& inside) {
  TileList list{{}, std::vector<std::int16_t>(axis.sizes.size(), -1)};
  for (const std::int16_t i : inside.positions) {
    std::vector<std::int16_t>& kept = list.positions;
    if (!kept.empty() && axis.means[i] <= axis.means[kept.back()]) continue;
    if (!kept.empty() && axis.sizes[i] == axis.sizes[kept.back()]) kept.pop_back();
    if (!kept.empty()) list.next[kept.back()] = i;
    kept.push_back(i);
  }
  return list;
}

}  // namespace

Blocks blocks_of(std::int64_t extent, std::int64_t unit, std::int64_t count) {
  const std::int64_t units = extent / unit, large = units % count, small = units / count * unit;
  if (large == 0) return {.large = {count, small}};
  return {.large = {large, small + unit}, .small = {count - large, small}};
}

Blocks uneven_blocks(std::int64_t extent, std::int64_t largest, std::int64_t inside) {
  for (const std::int64_t factor : divisors(extent / inside)) {
    const Blocks blocks = blocks_of(extent, factor * inside, ceil_div(extent, largest));
    if (blocks.large.size == largest) return blocks;
  }
  TILEPLAN_CHECK(false, "no uneven split has that largest block");
}

bool is_coarse(std::int64_t blocks) {
  const std::vector<std::int64_t> all = divisors(blocks);
  const auto is_gap = [](std::int64_t a, std::int64_t b) { return b > 2 * a; };
  return std::ranges::adjacent_find(all, is_gap) != all.end();
}

TileAxis tile_axis(Dim dim, std::int64_t base, std::int64_t extent, Splits splits) {
  const auto [entries, thinned] = entries_of(base, extent, splits);
  TILEPLAN_CHECK(entries.size() <= std::numeric_limits<std::int16_t>::max(),
                 "positions of tiles have 16 bits");
  TileAxis axis;
  axis.dim = dim;
  axis.thinned = thinned;
  bool uneven = false;
  for (const Entry& entry : entries) {
    axis.blocks.push_back(entry.blocks);
    axis.sizes.push_back(static_cast<double>(entry.blocks.large.size));
    axis.means.push_back(entry.blocks.mean());
    uneven = uneven || entry.blocks.is_uneven();
    axis.tiles += entry.in_split ? 0 : 1;
  }
  for (std::size_t top = 0; top < entries.size(); ++top) {
    std::vector<double>& trips = axis.trips.emplace_back();
    for (const double mean : axis.means) trips.push_back(axis.means[top] / mean);
    axis.inside.push_back(tiles_inside(entries, entries[top]));
    if (uneven) axis.innermost.push_back(innermost_tiles(axis, axis.inside.back()));
  }
  return axis;
}

}  // namespace tileplan
