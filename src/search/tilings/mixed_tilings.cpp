// SPDX-License-Identifier: Apache-2.0
// The time of a tiling is a linear function of how often each pair of sizes occurs. Among covers by
// two given sizes, the fastest therefore has the fewest or the most tiles of the first size.
#include "mixed_tilings.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include "integers.h"

namespace tileplan {
namespace {

class MixedTilingFinder {
 public:
  MixedTilingFinder(const TilingProblem& problem, const TileRates& rates, double below)
      : problem_(problem), rates_(rates), below_(below) {
    if (least_seconds() >= below) return;
    using enum SplitAxis;
    add_all({columns, vectors}, rows, pairs(vectors));
    add_all({rows, vectors}, columns, pairs(vectors));
    add_all({rows, columns}, vectors, pairs(columns));
    add_all({columns, vectors}, rows, single_sizes(vectors));
    add_all({rows, vectors}, columns, single_sizes(vectors));
    add_all({vectors, columns}, rows, single_sizes(columns));
  }

  std::vector<MixedTiling> take() { return std::move(found_); }

 private:
  /// Holds a register tile size along the first direction and the cycles of the calls with this
  /// size that cover the list of sizes along the second direction once.
  struct Strip {
    std::int64_t size = 0;
    double cycles = 0;
  };

  std::int64_t most(SplitAxis axis) const {
    return std::min<std::int64_t>(extent_of(problem_, axis), rates_.most());
  }

  /// Returns the cycles of one call, or infinity for tiles that do not fit the registers.
  double cycles(const TileShape& shape) const {
    return rates_.admits(shape, false) ? call_cycles(problem_, rates_.rate(shape)) : HUGE_VAL;
  }

  /// Returns the seconds if tiles of the fastest shape covered all outputs, which is a lower bound.
  double least_seconds() const {
    double least = HUGE_VAL;
    for (TileShape shape; shape.rows <= most(SplitAxis::rows); ++shape.rows)
      for (shape.columns = 1; shape.columns <= most(SplitAxis::columns); ++shape.columns)
        for (shape.vectors = 1; shape.vectors <= most(SplitAxis::vectors); ++shape.vectors)
          least = std::min(least, seconds_of(problem_, shape, cycles(shape)));
    return least;
  }

  using Covers = std::vector<std::vector<Part>>;

  Covers pairs(SplitAxis axis) const {
    Covers covers;
    for (std::int64_t high = 2; high <= most(axis); ++high)
      for (std::int64_t low = 1; low < high; ++low)
        std::ranges::move(extreme_covers(extent_of(problem_, axis), low, high),
                          std::back_inserter(covers));
    return covers;
  }

  Covers single_sizes(SplitAxis axis) const {
    Covers covers;
    for (const std::int64_t size : divisors(extent_of(problem_, axis)))
      if (size <= rates_.most()) covers.push_back({{1, size}});
    return covers;
  }

  /// Adds tilings with two sizes along the first of `axes`, each of `covers` along the second, and
  /// one size along `third`.
  void add_all(std::array<SplitAxis, 2> axes, SplitAxis third, const Covers& covers) {
    if (extent_of(problem_, axes[0]) == 1) return;
    for (const std::int64_t size : divisors(extent_of(problem_, third))) {
      if (size > rates_.most()) break;
      TileShape shape;
      size_of(shape, third) = size;
      for (const std::vector<Part>& parts : covers) add(shape, axes, parts);
    }
  }

  /// Adds the covers of the first direction (extreme_covers) with `parts` along the second that
  /// take less than `below_` seconds. One part means that the second direction has a single size.
  void add(const TileShape& shape, std::array<SplitAxis, 2> axes, const std::vector<Part>& parts) {
    const std::vector<Strip> all = strips(shape, axes, parts);
    MixedTiling mixed{.shape = shape, .axes = axes};
    size_of(mixed.shape, axes[0]) = extent_of(problem_, axes[0]);
    size_of(mixed.shape, axes[1]) =
        parts.size() == 1 ? parts[0].size : extent_of(problem_, axes[1]);
    if (parts.size() > 1) mixed.parts[1] = parts;
    for (std::size_t high = 1; high < all.size(); ++high)
      for (std::size_t low = 0; low < high; ++low)
        for (std::vector<Part>& parts_of_first :
             extreme_covers(extent_of(problem_, axes[0]), all[low].size, all[high].size)) {
          mixed.seconds =
              seconds_of(problem_, mixed.shape,
                         static_cast<double>(parts_of_first[0].times) * all[low].cycles +
                             static_cast<double>(parts_of_first[1].times) * all[high].cycles);
          mixed.parts[0] = std::move(parts_of_first);
          if (mixed.seconds < below_) found_.push_back(mixed);
        }
  }

  /// Returns the strips whose tiles fit the registers with each of `parts`, narrow strips first.
  std::vector<Strip> strips(TileShape shape, std::array<SplitAxis, 2> axes,
                            const std::vector<Part>& parts) const {
    std::vector<Strip> found;
    for (std::int64_t size = 1; size <= most(axes[0]); ++size) {
      size_of(shape, axes[0]) = size;
      Strip strip{.size = size};
      for (const Part& part : parts) {
        size_of(shape, axes[1]) = part.size;
        strip.cycles += static_cast<double>(part.times) * cycles(shape);
      }
      if (std::isfinite(strip.cycles)) found.push_back(strip);
    }
    return found;
  }

  const TilingProblem& problem_;
  const TileRates& rates_;
  double below_;
  std::vector<MixedTiling> found_;
};

/// Describes the tile that covers most outputs: its number of vectors, which decides how often the
/// operand that is broadcast is read again, and whether the innermost cache has a way for each of
/// its pixels (TileShape::pixels).
using TileKind = std::pair<std::int64_t, bool>;

TileKind kind_of(const TilingProblem& problem, const MixedTiling& mixed) {
  TileShape tile = mixed.shape;
  const auto iterations = [](const Part& part) { return part.times * part.size; };
  for (int i = 0; i < 2; ++i)
    if (!mixed.parts[i].empty())
      size_of(tile, mixed.axes[i]) = std::ranges::max_element(mixed.parts[i], {}, iterations)->size;
  return {tile.vectors, tile.rows * tile.columns <= problem.ways};
}

}  // namespace

std::vector<MixedTiling> mixed_tilings(const TilingProblem& problem, const TileRates& rates,
                                       double below, std::size_t keep) {
  std::vector<MixedTiling> found = MixedTilingFinder(problem, rates, below).take();
  std::ranges::stable_sort(found, {}, &MixedTiling::seconds);
  std::set<TileKind> seen;
  std::vector<MixedTiling> kept, more;
  for (MixedTiling& each : found)
    (seen.insert(kind_of(problem, each)).second ? kept : more).push_back(std::move(each));
  std::move(more.begin(), more.end(), std::back_inserter(kept));
  if (kept.size() > keep) kept.resize(keep);
  std::ranges::stable_sort(kept, {}, &MixedTiling::seconds);
  return kept;
}

}  // namespace tileplan
