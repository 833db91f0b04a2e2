// SPDX-License-Identifier: Apache-2.0
// This file tabulates the rates of register tiles, and enumerates divisors for single tiles and
// exact covers for pairs of sizes.
#include "register_tilings.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "integers.h"

namespace tileplan {
namespace {

/// Fast tiles do at least this fraction of the multiply-adds per cycle that the best tile does, as
/// in the TTile report.
constexpr double kFastShare = 0.85;
/// Each register shape and block keeps this many of its fastest pairs of sizes, because further
/// pairs are similar.
constexpr int kPairsPerBlock = 2;

/// Makes the list of register_tilings(): single tiles, and the best pairs of each shape and block.
/// Mirror images are left out (wanted()).
class TilingFinder {
 public:
  TilingFinder(const TilingProblem& problem, const TileRates& rates, bool only_fast)
      : problem_(problem),
        rates_(rates),
        only_fast_(only_fast),
        images_(divisors(problem.image_extent)) {
    const std::vector<std::int64_t> rows = divisors(problem.row_extent);
    const std::vector<std::int64_t> columns = divisors(problem.column_extent);
    const std::vector<std::int64_t> vectors = divisors(problem.vector_extent);
    for (const std::int64_t r : rows) {
      for (const std::int64_t v : vectors) add_pairs({.rows = r, .vectors = v}, SplitAxis::columns);
      for (const std::int64_t c : columns)
        if (wanted(r, c)) add_rectangle(r, c, vectors);
    }
    // A pair combines tiles of two heights, at least one of which is above 1. wanted() treats all
    // heights above 1 alike, so it is called with 2.
    for (const std::int64_t c : columns)
      for (const std::int64_t v : vectors)
        if (wanted(2, c)) add_pairs({.columns = c, .vectors = v}, SplitAxis::rows);
  }

  std::vector<RegisterTiling> take() { return std::move(found_); }

 private:
  /// Returns false for one column of several rows if both extents are equal, because one row of
  /// several columns is its mirror image. With vectors of pixels the result is always true, because
  /// columns are channels.
  bool wanted(std::int64_t rows, std::int64_t columns) const {
    return rows == 1 || columns > 1 || problem_.pixel_vectors ||
           problem_.row_extent != problem_.column_extent;
  }

  void add_rectangle(std::int64_t rows, std::int64_t columns,
                     const std::vector<std::int64_t>& vectors) {
    const bool may_have_images = (rows == 1 || rows == problem_.row_extent) &&
                                 (columns == 1 || columns == problem_.column_extent);
    for (const std::int64_t images : images_) {
      if (images > 1 && !may_have_images) break;
      for (const std::int64_t v : vectors)
        add_single({.rows = rows, .columns = columns, .vectors = v, .images = images});
      add_pairs({.rows = rows, .columns = columns, .images = images}, SplitAxis::vectors);
    }
  }

  void add_single(const TileShape& shape) {
    if (!rates_.admits(shape, only_fast_)) return;
    const double cycles = call_cycles(problem_, rates_.rate(shape));
    found_.push_back({shape, SplitAxis::none, {}, seconds_of(problem_, shape, cycles)});
  }

  /// Adds pairs of sizes along one direction for every block that divides the extent and whose
  /// outputs fit the innermost cache.
  void add_pairs(TileShape shape, SplitAxis axis) {
    const std::int64_t extent = extent_of(problem_, axis);
    std::vector<std::int64_t> sizes;
    for (std::int64_t s = 1; s <= std::min<std::int64_t>(extent, rates_.most()); ++s) {
      size_of(shape, axis) = s;
      if (rates_.admits(shape, only_fast_)) sizes.push_back(s);
    }
    if (sizes.size() < 2) return;
    for (const std::int64_t block : divisors(extent)) {
      size_of(shape, axis) = block;
      if (outputs_of(problem_, shape) > problem_.most_outputs) break;
      add_block(shape, axis, block, sizes);
    }
  }

  void add_block(TileShape shape, SplitAxis axis, std::int64_t block,
                 const std::vector<std::int64_t>& sizes) {
    std::vector<RegisterTiling> pairs;
    for (std::vector<Part>& parts : exact_covers(block, sizes)) {
      double cycles = 0;
      for (const Part& part : parts) {
        size_of(shape, axis) = part.size;
        cycles += static_cast<double>(part.times) * call_cycles(problem_, rates_.rate(shape));
      }
      size_of(shape, axis) = block;
      pairs.push_back({shape, axis, std::move(parts), seconds_of(problem_, shape, cycles)});
    }
    if (pairs.empty()) return;
    std::sort(pairs.begin(), pairs.end(), faster);
    const auto kept = pairs.begin() + std::min<std::ptrdiff_t>(kPairsPerBlock, std::ssize(pairs));
    // Cores that share the calls of one block wait for the core with most work.
    if (problem_.cores > 1 && block == extent_of(problem_, axis)) {
      const auto even = std::ranges::min_element(
          pairs, {}, [&](const RegisterTiling& pair) { return busiest_calls(pair); });
      if (even >= kept) found_.push_back(*even);
    }
    found_.insert(found_.end(), pairs.begin(), kept);
  }

  /// Returns an upper bound on the cycles of the core with most calls when all cores share the
  /// calls of one block, and the larger size, which loads more and decides ties.
  std::pair<double, std::int64_t> busiest_calls(const RegisterTiling& pair) const {
    TileShape shape = pair.shape;
    double slowest = 0;
    std::int64_t calls = 0, largest = 0;
    for (const Part& part : pair.parts) {
      size_of(shape, pair.axis) = part.size;
      slowest = std::max(slowest, call_cycles(problem_, rates_.rate(shape)));
      calls += part.times;
      largest = std::max(largest, part.size);
    }
    return {slowest * static_cast<double>(ceil_div(calls, std::int64_t{problem_.cores})), largest};
  }

  const TilingProblem& problem_;
  const TileRates& rates_;
  bool only_fast_;
  std::vector<std::int64_t> images_;
  std::vector<RegisterTiling> found_;
};

/// Returns the least a >= 1 with a*h1 + b*h2 = block and b >= 1, or 0 if there is none. Further
/// solutions add h2 / gcd(h1, h2) to a.
std::int64_t smallest_times(std::int64_t h1, std::int64_t h2, std::int64_t block) {
  for (std::int64_t a = 1; a <= h2; ++a)
    if (a * h1 < block && (block - a * h1) % h2 == 0) return a;
  return 0;
}

}  // namespace

std::int64_t& size_of(TileShape& shape, SplitAxis axis) {
  return axis == SplitAxis::rows      ? shape.rows
         : axis == SplitAxis::columns ? shape.columns
                                      : shape.vectors;
}

std::int64_t extent_of(const TilingProblem& problem, SplitAxis axis) {
  return axis == SplitAxis::rows      ? problem.row_extent
         : axis == SplitAxis::columns ? problem.column_extent
                                      : problem.vector_extent;
}

double outputs_of(const TilingProblem& problem, const TileShape& box) {
  return static_cast<double>(box.pixels() * box.vectors * problem.lanes);
}

double call_cycles(const TilingProblem& problem, const KernelRate& rate) {
  return CallCycles(rate).of(problem.steps);
}

double seconds_of(const TilingProblem& problem, const TileShape& box, double cycles) {
  return problem.outputs / outputs_of(problem, box) * cycles / problem.hertz;
}

std::vector<std::vector<Part>> extreme_covers(std::int64_t extent, std::int64_t low,
                                              std::int64_t high) {
  const std::int64_t first = smallest_times(low, high, extent);
  if (first == 0) return {};
  const auto cover = [&](std::int64_t times) {
    return std::vector<Part>{{times, low}, {(extent - times * low) / high, high}};
  };
  const std::int64_t step = high / std::gcd(low, high);
  const std::int64_t last = first + (extent - 1 - first * low) / (step * low) * step;
  if (last == first) return {cover(first)};
  return {cover(first), cover(last)};
}

TileRates::TileRates(const Machine& machine, VectorOperands operands)
    : most_(most_pixels(machine.vector)),
      operands_(operands),
      by_columns_(operands == VectorOperands::input || uses_tiles(machine.vector.arithmetic)) {
  const int most_channels = by_columns_ ? most_ : 0;
  entries_.resize(static_cast<std::size_t>(most_channels + 1) * (most_ + 1) * (most_ + 1));
  for (int columns = 1; columns <= std::max(most_channels, 1); ++columns)
    for (int rows = 1; rows * columns <= most_; ++rows)
      for (int vectors = 1; vectors <= most_; ++vectors)
        add({.rows = rows, .columns = columns, .vectors = vectors}, machine);
  mark_fast(machine);
}

void TileRates::add(const TileShape& shape, const Machine& machine) {
  const bool of_pixels = operands_ == VectorOperands::input;
  const RegisterTile tile{.pixels = static_cast<int>(shape.pixels()),
                          .vectors = static_cast<int>(shape.vectors),
                          .vector_input = operands_ != VectorOperands::weights,
                          .channels = of_pixels ? static_cast<int>(shape.columns) : 0,
                          .row = of_pixels ? 0 : static_cast<int>(shape.columns)};
  if (fits_registers(tile, machine.vector))
    entries_[place(shape)] = {.shape = shape, .fits = true, .rate = kernel_rate(tile, machine)};
}

/// Marks the fast tiles. Rates are measured for tiles with vectors of weights. If rates.kernels of
/// `machine` is not empty, only its tiles can be fast among those with vectors of weights. The
/// measured tiles of other arithmetic (rates.others) do not restrict the fast ones.
void TileRates::mark_fast(const Machine& machine) {
  std::vector<TileShape> known;
  if (operands_ == VectorOperands::weights)
    for (const KernelRate& rate : machine.rates.kernels)
      known.push_back({.rows = rate.pixels, .columns = 1, .vectors = rate.vectors});
  if (known.empty())
    for (const Entry& each : entries_)
      if (each.fits) known.push_back(each.shape);
  std::erase_if(known, [this](const TileShape& shape) { return !admits(shape, false); });
  const auto share = [this](const TileShape& shape) {
    return static_cast<double>(shape.pixels() * shape.vectors) / rate(shape).cycles_per_step;
  };
  double best = 0;
  for (const TileShape& shape : known) best = std::max(best, share(shape));
  for (const TileShape& shape : known)
    if (share(shape) >= kFastShare * best) entries_[place(shape)].fast = true;
}

std::vector<std::vector<Part>> exact_covers(std::int64_t extent,
                                            const std::vector<std::int64_t>& sizes) {
  std::vector<std::vector<Part>> covers;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    for (std::size_t j = i + 1; j < sizes.size(); ++j) {
      const std::int64_t h1 = sizes[i], h2 = sizes[j];
      const std::int64_t first = smallest_times(h1, h2, extent);
      if (first == 0) continue;
      for (std::int64_t a = first; a * h1 < extent; a += h2 / std::gcd(h1, h2))
        covers.push_back({{a, h1}, {(extent - a * h1) / h2, h2}});
    }
  return covers;
}

bool faster(const RegisterTiling& a, const RegisterTiling& b) {
  const auto key = [](const RegisterTiling& f) {
    return std::tuple(f.seconds, f.axis, f.shape.pixels() * f.shape.vectors, f.shape.images,
                      -f.shape.vectors, f.shape.rows, f.parts.empty() ? 0 : f.parts[0].size,
                      f.parts.empty() ? 0 : f.parts[1].size);
  };
  return key(a) < key(b);
}

std::vector<RegisterTiling> register_tilings(const TilingProblem& problem, const TileRates& rates,
                                             bool only_fast) {
  return TilingFinder(problem, rates, only_fast).take();
}

}  // namespace tileplan
