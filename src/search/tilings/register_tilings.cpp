// SPDX-License-Identifier: Apache-2.0
// Enumerates divisors for single tiles and exact covers for pairs.
#include "register_tilings.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "integers.h"

namespace tileplan {
namespace {

/// A class holds the tiles with at least this share of the best one's rate (the TTile report's
/// rule).
constexpr double kFastShare = 0.85;
/// Pairs of sizes kept per register shape and block. More are near-copies: the sizes differ by one
/// or two.
constexpr int kPairsPerBlock = 2;

/// Finds all covers with tiles that `rates` admits.
class Finder {
 public:
  Finder(const Cover& cover, const TileRates& rates, bool only_fast)
      : cover_(cover), rates_(rates), only_fast_(only_fast) {
    const std::vector<std::int64_t> rows = divisors(cover.row_extent);
    const std::vector<std::int64_t> columns = divisors(cover.column_extent);
    const std::vector<std::int64_t> vectors = divisors(cover.vector_extent);
    for (const std::int64_t r : rows) {
      for (const std::int64_t v : vectors) add_pairs({.rows = r, .vectors = v}, Along::columns);
      for (const std::int64_t c : columns)
        if (wanted(r, c)) add_rectangle(r, c, vectors);
    }
    // At least one of two different numbers of rows is above 1.
    for (const std::int64_t c : columns)
      for (const std::int64_t v : vectors)
        if (wanted(2, c)) add_pairs({.columns = c, .vectors = v}, Along::rows);
  }

  std::vector<Covering> take() { return std::move(found_); }

 private:
  /// A column of rows alone mirrors a row of columns when the extents are equal.
  bool wanted(std::int64_t rows, std::int64_t columns) const {
    return rows == 1 || columns > 1 || cover_.pixel_vectors ||
           cover_.row_extent != cover_.column_extent;
  }

  void add_rectangle(std::int64_t rows, std::int64_t columns,
                     const std::vector<std::int64_t>& vectors) {
    for (const std::int64_t v : vectors)
      add_single({.rows = rows, .columns = columns, .vectors = v});
    add_pairs({.rows = rows, .columns = columns}, Along::vectors);
  }

  void add_single(const TileShape& shape) {
    if (!rates_.admits(shape, only_fast_)) return;
    const KernelRate& tile = rates_.rate(shape);
    const double time = seconds_of(cover_, shape, call_cycles(cover_, tile));
    found_.push_back({shape, Along::none, {}, time});
  }

  /// Two sizes along one direction, the others as in `shape`, for every block that divides the
  /// extent.
  void add_pairs(TileShape shape, Along along) {
    const std::int64_t extent = extent_of(cover_, along);
    std::vector<std::int64_t> sizes;
    for (std::int64_t s = 1; s <= std::min<std::int64_t>(extent, rates_.most()); ++s) {
      size_of(shape, along) = s;
      if (rates_.admits(shape, only_fast_)) sizes.push_back(s);
    }
    if (sizes.size() < 2) return;
    for (const std::int64_t block : divisors(extent)) {
      size_of(shape, along) = block;
      if (outputs_of(cover_, shape) > cover_.most_outputs) break;
      add_block(shape, along, block, sizes);
    }
  }

  void add_block(TileShape shape, Along along, std::int64_t block,
                 const std::vector<std::int64_t>& sizes) {
    std::vector<Covering> pairs;
    for (std::vector<Part>& parts : exact_covers(block, sizes)) {
      double cycles = 0;
      for (const Part& part : parts) {
        size_of(shape, along) = part.size;
        cycles += static_cast<double>(part.times) * call_cycles(cover_, rates_.rate(shape));
      }
      size_of(shape, along) = block;
      pairs.push_back({shape, along, std::move(parts), seconds_of(cover_, shape, cycles)});
    }
    std::sort(pairs.begin(), pairs.end(), faster);
    if (pairs.size() > kPairsPerBlock) pairs.resize(kPairsPerBlock);
    found_.insert(found_.end(), pairs.begin(), pairs.end());
  }

  const Cover& cover_;
  const TileRates& rates_;
  bool only_fast_;
  std::vector<Covering> found_;
};

/// One solution of a*h1 + b*h2 = block is a = `first`; the others follow in steps of h2 / gcd.
std::int64_t smallest_times(std::int64_t h1, std::int64_t h2, std::int64_t block) {
  for (std::int64_t a = 1; a <= h2; ++a)
    if (a * h1 < block && (block - a * h1) % h2 == 0) return a;
  return 0;
}

}  // namespace

std::int64_t& size_of(TileShape& shape, Along along) {
  return along == Along::rows      ? shape.rows
         : along == Along::columns ? shape.columns
                                   : shape.vectors;
}

std::int64_t extent_of(const Cover& cover, Along along) {
  return along == Along::rows      ? cover.row_extent
         : along == Along::columns ? cover.column_extent
                                   : cover.vector_extent;
}

double outputs_of(const Cover& cover, const TileShape& box) {
  return static_cast<double>(box.rows * box.columns * box.vectors * cover.lanes);
}

double call_cycles(const Cover& cover, const KernelRate& rate) {
  return rate.cycles_per_call + cover.steps * rate.cycles_per_step;
}

double seconds_of(const Cover& cover, const TileShape& box, double cycles) {
  return cover.outputs / outputs_of(cover, box) * cycles / cover.hertz;
}

std::vector<std::vector<Part>> extremes(std::int64_t extent, std::int64_t low, std::int64_t high) {
  const std::int64_t divisor = std::gcd(low, high);
  const std::int64_t first = extent % divisor == 0 ? smallest_times(low, high, extent) : 0;
  if (first == 0) return {};
  const auto cover = [&](std::int64_t times) {
    return std::vector<Part>{{times, low}, {(extent - times * low) / high, high}};
  };
  const std::int64_t step = high / divisor;
  const std::int64_t last = first + (extent - 1 - first * low) / (step * low) * step;
  if (last == first) return {cover(first)};
  return {cover(first), cover(last)};
}

TileRates::TileRates(const Machine& machine, VectorOperands operands)
    : most_(machine.vector.registers), operands_(operands) {
  const int most_channels = operands == VectorOperands::input ? most_ : 0;
  entries_.resize(static_cast<std::size_t>(most_channels + 1) * (most_ + 1) * (most_ + 1));
  for (int columns = 1; columns <= std::max(most_channels, 1); ++columns)
    for (int rows = 1; rows * columns <= most_; ++rows)
      for (int vectors = 1; vectors <= most_; ++vectors)
        add({.rows = rows, .columns = columns, .vectors = vectors}, machine);
  mark_fast(known(machine));
}

void TileRates::add(const TileShape& shape, const Machine& machine) {
  const bool of_pixels = operands_ == VectorOperands::input;
  const RegisterTile tile{.pixels = static_cast<int>(shape.rows * shape.columns),
                          .vectors = static_cast<int>(shape.vectors),
                          .vector_input = operands_ != VectorOperands::weights,
                          .channels = of_pixels ? static_cast<int>(shape.columns) : 0};
  if (fits_registers(tile, machine.vector))
    entries_[place(shape)] = {
        .shape = shape, .fits = true, .fast = false, .rate = kernel_rate(tile, machine)};
}

/// Of a calibrated machine only measured tiles are fast, where there are any.
std::vector<TileShape> TileRates::known(const Machine& machine) const {
  std::vector<TileShape> known;
  if (operands_ == VectorOperands::weights)
    for (const KernelRate& rate : machine.kernels)
      known.push_back({.rows = rate.pixels, .columns = 1, .vectors = rate.vectors});
  if (known.empty())
    for (const Entry& each : entries_) known.push_back(each.shape);
  std::erase_if(known, [this](const TileShape& shape) { return !admits(shape, false); });
  return known;
}

void TileRates::mark_fast(const std::vector<TileShape>& known) {
  const auto share = [this](const TileShape& shape) {
    return static_cast<double>(shape.rows * shape.columns * shape.vectors) /
           rate(shape).cycles_per_step;
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
      if (extent % std::gcd(h1, h2) != 0) continue;
      const std::int64_t first = smallest_times(h1, h2, extent);
      if (first == 0) continue;
      for (std::int64_t a = first; a * h1 < extent; a += h2 / std::gcd(h1, h2))
        covers.push_back({{a, h1}, {(extent - a * h1) / h2, h2}});
    }
  return covers;
}

bool faster(const Covering& a, const Covering& b) {
  const auto key = [](const Covering& f) {
    return std::tuple(f.seconds, f.along, f.shape.rows * f.shape.columns * f.shape.vectors,
                      -f.shape.vectors, f.shape.rows, f.parts.empty() ? 0 : f.parts[0].size,
                      f.parts.empty() ? 0 : f.parts[1].size);
  };
  return key(a) < key(b);
}

std::vector<Covering> coverings(const Cover& cover, const TileRates& rates, bool only_fast) {
  return Finder(cover, rates, only_fast).take();
}

}  // namespace tileplan
