// SPDX-License-Identifier: Apache-2.0
// The time of a grid is a sum over pairs of sizes, linear in how often each occurs: of the covers
// by two given sizes along one direction, one with the fewest or the most of the first is the
// fastest.
#include "grids.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "integers.h"

namespace tileplan {
namespace {

class GridFinder {
 public:
  GridFinder(const Cover& cover, const TileRates& rates, double below)
      : cover_(cover), rates_(rates), below_(below) {
    if (least_seconds() >= below) return;
    add_all(Along::columns, Along::vectors, Along::rows);
    add_all(Along::rows, Along::vectors, Along::columns);
    add_all(Along::rows, Along::columns, Along::vectors);
    add_lines(Along::columns, Along::vectors, Along::rows);
    add_lines(Along::rows, Along::vectors, Along::columns);
    add_lines(Along::vectors, Along::columns, Along::rows);
  }

  std::vector<Grid> take() { return std::move(found_); }

 private:
  /// A register size along the first direction, and the cycles of all sizes along the second beside
  /// it, each as often as its part says.
  struct Strip {
    std::int64_t size = 0;
    double cycles = 0;
  };

  std::int64_t most(Along along) const {
    return std::min<std::int64_t>(extent_of(cover_, along), rates_.most());
  }

  /// Cycles of one call; infinite for tiles that do not fit.
  double cycles(const TileShape& shape) const {
    if (!rates_.admits(shape, false)) return HUGE_VAL;
    return call_cycles(cover_, rates_.rate(shape));
  }

  /// Of any cover: as if all outputs were in tiles of the fastest kind.
  double least_seconds() const {
    double least = HUGE_VAL;
    for (TileShape shape; shape.rows <= most(Along::rows); ++shape.rows)
      for (shape.columns = 1; shape.columns <= most(Along::columns); ++shape.columns)
        for (shape.vectors = 1; shape.vectors <= most(Along::vectors); ++shape.vectors)
          least = std::min(least, seconds_of(cover_, shape, cycles(shape)));
    return least;
  }

  void add_all(Along first, Along second, Along third) {
    if (extent_of(cover_, first) == 1 || extent_of(cover_, second) == 1) return;
    for (const std::int64_t size : divisors(extent_of(cover_, third))) {
      if (size > rates_.most()) break;
      TileShape shape;
      size_of(shape, third) = size;
      for (std::int64_t high = 2; high <= most(second); ++high)
        for (std::int64_t low = 1; low < high; ++low)
          for (const std::vector<Part>& parts : extremes(extent_of(cover_, second), low, high))
            add(shape, {first, second}, parts);
    }
  }

  /// Two sizes along the first direction alone.
  void add_lines(Along first, Along second, Along third) {
    if (extent_of(cover_, first) == 1) return;
    for (const std::int64_t size : divisors(extent_of(cover_, third))) {
      if (size > rates_.most()) break;
      TileShape shape;
      size_of(shape, third) = size;
      for (const std::int64_t other : divisors(extent_of(cover_, second)))
        if (other <= rates_.most()) add(shape, {first, second}, {{1, other}});
    }
  }

  /// The grid with `parts` along the second direction, of which one alone is one size.
  Grid beside(TileShape shape, std::array<Along, 2> along, const std::vector<Part>& parts) const {
    const bool is_line = parts.size() == 1;
    Grid grid{.shape = shape, .along = along, .parts = {}};
    size_of(grid.shape, along[0]) = extent_of(cover_, along[0]);
    size_of(grid.shape, along[1]) = is_line ? parts[0].size : extent_of(cover_, along[1]);
    if (!is_line) grid.parts[1] = parts;
    return grid;
  }

  /// Every cover of the first direction beside `parts` along the second.
  void add(const TileShape& shape, std::array<Along, 2> along, const std::vector<Part>& parts) {
    const std::vector<Strip> all = strips(shape, along, parts);
    Grid grid = beside(shape, along, parts);
    for (std::size_t high = 1; high < all.size(); ++high)
      for (std::size_t low = 0; low < high; ++low)
        for (std::vector<Part>& across :
             extremes(extent_of(cover_, along[0]), all[low].size, all[high].size)) {
          grid.seconds = seconds_of(cover_, grid.shape,
                                    static_cast<double>(across[0].times) * all[low].cycles +
                                        static_cast<double>(across[1].times) * all[high].cycles);
          grid.parts[0] = std::move(across);
          if (grid.seconds < below_) found_.push_back(grid);
        }
  }

  /// Those that fit beside all of `parts`, narrow ones first.
  std::vector<Strip> strips(TileShape shape, std::array<Along, 2> along,
                            const std::vector<Part>& parts) const {
    std::vector<Strip> found;
    for (std::int64_t size = 1; size <= most(along[0]); ++size) {
      size_of(shape, along[0]) = size;
      Strip strip{.size = size};
      for (const Part& part : parts) {
        size_of(shape, along[1]) = part.size;
        strip.cycles += static_cast<double>(part.times) * cycles(shape);
      }
      if (std::isfinite(strip.cycles)) found.push_back(strip);
    }
    return found;
  }

  const Cover& cover_;
  const TileRates& rates_;
  double below_;
  std::vector<Grid> found_;
};

/// Vectors of the tile that covers most, and whether its pixels have a way of the innermost cache
/// each: in how many calls weights and pixels are read again, and whether pixels evict each other.
using Sort = std::pair<std::int64_t, bool>;

Sort sort_of(const Cover& cover, const Grid& grid) {
  TileShape tile = grid.shape;
  for (int i = 0; i < 2; ++i)
    if (!grid.parts[i].empty())
      size_of(tile, grid.along[i]) = std::max_element(grid.parts[i].begin(), grid.parts[i].end(),
                                                      [](const Part& a, const Part& b) {
                                                        return a.times * a.size < b.times * b.size;
                                                      })
                                         ->size;
  return {tile.vectors, tile.rows * tile.columns <= cover.ways};
}

}  // namespace

std::vector<Grid> grids(const Cover& cover, const TileRates& rates, double below,
                        std::size_t keep) {
  std::vector<Grid> found = GridFinder(cover, rates, below).take();
  const auto faster = [](const Grid& a, const Grid& b) { return a.seconds < b.seconds; };
  std::stable_sort(found.begin(), found.end(), faster);
  std::set<Sort> seen;
  std::vector<Grid> kept, more;
  for (Grid& each : found)
    (seen.insert(sort_of(cover, each)).second ? kept : more).push_back(std::move(each));
  std::move(more.begin(), more.end(), std::back_inserter(kept));
  if (kept.size() > keep) kept.resize(keep);
  std::stable_sort(kept.begin(), kept.end(), faster);
  return kept;
}

}  // namespace tileplan
