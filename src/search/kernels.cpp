// SPDX-License-Identifier: Apache-2.0
// Register tiles that are fast on a machine, and the single tiles and pairs of tiles that cover a
// computation.
#include "kernels.h"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "capacity.h"
#include "check.h"
#include "integers.h"

namespace tileplan {
namespace {

/// A class holds the tiles with at least this share of the best one's rate (the TTile report's
/// rule).
constexpr double kFastShare = 0.85;
/// Pairs of sizes kept per register shape and block. More are near-copies: the sizes differ by one
/// or two.
constexpr int kPairsPerBlock = 2;
constexpr double kBytesPerElement = 4;

/// Rates of all register tiles that fit, by pixels and vectors.
class Rates {
 public:
  explicit Rates(const Machine& machine) : most_(machine.vector.registers) {
    entries_.resize(static_cast<std::size_t>(most_ + 1) * (most_ + 1));
    for (int pixels = 1; pixels <= most_; ++pixels)
      for (int vectors = 1; vectors <= most_; ++vectors)
        if (fits_registers({pixels, vectors}, machine.vector))
          entry(pixels, vectors) = {.fits = true, .rate = kernel_rate({pixels, vectors}, machine)};
    mark_fast(machine);
  }

  int most() const { return most_; }
  const KernelRate& rate(int pixels, int vectors) const { return at(pixels, vectors).rate; }
  /// The tile exists, and is fast if that is asked for.
  bool admits(std::int64_t pixels, std::int64_t vectors, bool only_fast) const {
    if (pixels > most_ || vectors > most_) return false;
    const Entry& found = at(static_cast<int>(pixels), static_cast<int>(vectors));
    return only_fast ? found.fast : found.fits;
  }

 private:
  struct Entry {
    bool fits = false;
    bool fast = false;
    KernelRate rate;
  };

  std::size_t place(int pixels, int vectors) const {
    return static_cast<std::size_t>(pixels) * (most_ + 1) + vectors;
  }
  Entry& entry(int pixels, int vectors) { return entries_[place(pixels, vectors)]; }
  const Entry& at(int pixels, int vectors) const { return entries_[place(pixels, vectors)]; }

  /// Of a calibrated machine only measured tiles are fast.
  void mark_fast(const Machine& machine) {
    const auto share = [](const KernelRate& rate) {
      return rate.pixels * rate.vectors / rate.cycles_per_step;
    };
    std::vector<KernelRate> known;
    if (machine.kernels.empty()) {
      for (const Entry& each : entries_)
        if (each.fits) known.push_back(each.rate);
    } else {
      for (const KernelRate& measured : machine.kernels)
        if (admits(measured.pixels, measured.vectors, false)) known.push_back(measured);
    }
    double best = 0;
    for (const KernelRate& rate : known) best = std::max(best, share(rate));
    for (const KernelRate& rate : known)
      if (share(rate) >= kFastShare * best) entry(rate.pixels, rate.vectors).fast = true;
  }

  int most_;
  std::vector<Entry> entries_;
};

/// What covering needs to know: rows and columns are the last two pixel dims (1 and absent if there
/// are fewer).
struct Cover {
  Dim rows{}, columns{}, vectorised{};
  bool has_rows = false, has_columns = false;
  std::int64_t row_extent = 1, column_extent = 1, vector_extent = 1;
  int lanes = 1;
  double outputs = 1;  // covered iterations, reductions aside
  double steps = 1;    // all reductions
  double hertz = 1;
};

/// Register sizes of one tile: pixels are rows * columns.
struct Shape {
  std::int64_t rows = 1, columns = 1, vectors = 1;
};

enum class Along { none, columns, rows, vectors };

struct Found {
  Shape shape;  ///< the size along the lambda's direction is the block's
  Along along = Along::none;
  std::vector<Part> parts;  ///< in units of the register shape (vectors, not elements)
  double seconds = 0;
};

/// Fastest first; equal ones in a fixed order, small blocks first.
bool faster(const Found& a, const Found& b) {
  const auto key = [](const Found& f) {
    return std::tuple(f.seconds, f.along, f.shape.rows * f.shape.columns * f.shape.vectors,
                      -f.shape.vectors, f.shape.rows, f.parts.empty() ? 0 : f.parts[0].size,
                      f.parts.empty() ? 0 : f.parts[1].size);
  };
  return key(a) < key(b);
}

Cover cover_of(const Computation& computation, const Machine& machine) {
  Cover cover;
  cover.lanes = machine.vector.lanes;
  cover.hertz = machine.hertz;
  cover.vectorised = vectorised_dim(computation);
  const Tile extents = covered_extents(computation, cover.vectorised, cover.lanes);
  for (int d = computation.dims() - 1; d >= 0; --d) {
    const Dim dim{d};
    const Role part = role(computation, dim);
    (part == Role::reduction ? cover.steps : cover.outputs) *= static_cast<double>(extents[dim]);
    if (part != Role::pixel || extents[dim] == 1 || dim == cover.vectorised) continue;
    if (!cover.has_columns) {
      cover.has_columns = true;
      cover.columns = dim;
      cover.column_extent = extents[dim];
    } else if (!cover.has_rows) {
      cover.has_rows = true;
      cover.rows = dim;
      cover.row_extent = extents[dim];
    }
  }
  cover.vector_extent = extents[cover.vectorised] / cover.lanes;
  return cover;
}

/// Finds all covers with tiles that `rates` admits.
class Coverings {
 public:
  Coverings(const Cover& cover, const Rates& rates, bool only_fast)
      : cover_(cover), rates_(rates), only_fast_(only_fast) {
    const std::vector<std::int64_t> columns = divisors(cover.column_extent);
    const std::vector<std::int64_t> vectors = divisors(cover.vector_extent);
    for (const std::int64_t v : vectors)
      for (const std::int64_t r : divisors(cover.row_extent)) {
        if (!rates_.admits(r, v, false)) continue;
        for (const std::int64_t c : columns)
          if (wanted(r, c)) add_single({.rows = r, .columns = c, .vectors = v});
        add_pairs({.rows = r, .vectors = v}, Along::columns);
      }
    for (const std::int64_t c : columns) {
      for (const std::int64_t v : vectors)
        if (wanted(2, c)) add_pairs({.columns = c, .vectors = v}, Along::rows);
      for (const std::int64_t r : divisors(cover.row_extent))
        if (wanted(r, c)) add_pairs({.rows = r, .columns = c}, Along::vectors);
    }
  }

  std::vector<Found> take() { return std::move(found_); }

 private:
  /// A column of rows alone mirrors a row of columns when the extents are equal.
  bool wanted(std::int64_t rows, std::int64_t columns) const {
    return rows == 1 || columns > 1 || cover_.row_extent != cover_.column_extent;
  }

  std::int64_t& size(Shape& shape, Along along) const {
    return along == Along::rows      ? shape.rows
           : along == Along::columns ? shape.columns
                                     : shape.vectors;
  }

  double seconds(const Shape& base, double call, double step) const {
    const auto box = static_cast<double>(base.rows * base.columns * base.vectors * cover_.lanes);
    return cover_.outputs / box * (call + cover_.steps * step) / cover_.hertz;
  }

  const KernelRate& rate(const Shape& shape) const {
    return rates_.rate(static_cast<int>(shape.rows * shape.columns),
                       static_cast<int>(shape.vectors));
  }

  void add_single(const Shape& shape) {
    if (!rates_.admits(shape.rows * shape.columns, shape.vectors, only_fast_)) return;
    const KernelRate& tile = rate(shape);
    const double time = seconds(shape, tile.cycles_per_call, tile.cycles_per_step);
    found_.push_back({shape, Along::none, {}, time});
  }

  /// Two sizes along one direction, the others as in `shape`, for every block that divides the
  /// extent.
  void add_pairs(Shape shape, Along along) {
    const std::int64_t extent = along == Along::rows      ? cover_.row_extent
                                : along == Along::columns ? cover_.column_extent
                                                          : cover_.vector_extent;
    std::vector<std::int64_t> sizes;
    for (std::int64_t s = 1; s <= std::min<std::int64_t>(extent, rates_.most()); ++s) {
      size(shape, along) = s;
      if (rates_.admits(shape.rows * shape.columns, shape.vectors, only_fast_)) sizes.push_back(s);
    }
    if (sizes.size() < 2) return;
    for (const std::int64_t block : divisors(extent)) add_block(shape, along, block, sizes);
  }

  void add_block(Shape shape, Along along, std::int64_t block,
                 const std::vector<std::int64_t>& sizes) {
    std::vector<Found> pairs;
    for (std::vector<Part>& parts : exact_covers(block, sizes)) {
      double call = 0, step = 0;
      for (const Part& part : parts) {
        size(shape, along) = part.size;
        call += static_cast<double>(part.times) * rate(shape).cycles_per_call;
        step += static_cast<double>(part.times) * rate(shape).cycles_per_step;
      }
      size(shape, along) = block;
      pairs.push_back({shape, along, std::move(parts), seconds(shape, call, step)});
    }
    std::sort(pairs.begin(), pairs.end(), faster);
    if (pairs.size() > kPairsPerBlock) pairs.resize(kPairsPerBlock);
    found_.insert(found_.end(), pairs.begin(), pairs.end());
  }

  const Cover& cover_;
  const Rates& rates_;
  bool only_fast_;
  std::vector<Found> found_;
};

KernelCombo combo_of(const Computation& computation, const Cover& cover, const Found& found) {
  KernelCombo combo;
  for (int d = 0; d < computation.dims(); ++d) combo.base[Dim{d}] = 1;
  if (cover.has_rows) combo.base[cover.rows] = found.shape.rows;
  if (cover.has_columns) combo.base[cover.columns] = found.shape.columns;
  combo.base[cover.vectorised] = found.shape.vectors * cover.lanes;
  combo.vectorised = cover.vectorised;
  combo.compute_seconds = found.seconds;
  if (found.along == Along::none) return combo;
  Lambda lambda{.dim = found.along == Along::rows      ? cover.rows
                       : found.along == Along::columns ? cover.columns
                                                       : cover.vectorised,
                .parts = found.parts};
  for (Part& part : lambda.parts) {
    if (found.along == Along::vectors) part.size *= cover.lanes;
    lambda.block += part.times * part.size;
  }
  combo.lambda = lambda;
  return combo;
}

/// A block belongs to the innermost cache's tile: it must fit there, two consecutive ones beside
/// each other.
bool block_fits(const Computation& computation, const KernelCombo& combo, const Machine& machine) {
  if (!combo.lambda || machine.caches.empty()) return true;
  const CacheLevel& cache = machine.caches.front();
  const auto box = required(computation, combo.base, std::nullopt, CapacityRule::ideal);
  return 2 * static_cast<double>(box) * kBytesPerElement <=
         cache.usable * static_cast<double>(cache.capacity_bytes);
}

/// Vectors and rows of the first part, and which of them varies.
using Sort = std::tuple<Along, std::int64_t, std::int64_t>;

Sort sort_of(const Found& found, bool with_rows) {
  const std::int64_t part = found.parts.empty() ? 0 : found.parts[0].size;
  return {with_rows ? found.along : Along::none,
          found.along == Along::vectors ? part : found.shape.vectors,
          !with_rows                   ? 0
          : found.along == Along::rows ? part
                                       : found.shape.rows};
}

/// The best for each number of vectors, then of each sort, up to half of `keep`; then the fastest
/// of the rest.
std::vector<Found> diverse(std::vector<Found> found, std::size_t keep) {
  std::sort(found.begin(), found.end(), faster);
  if (found.size() <= keep) return found;
  std::vector<bool> chosen(found.size(), false);
  std::size_t count = 0;
  for (const bool with_rows : {false, true}) {
    std::set<Sort> seen;
    for (std::size_t i = 0; i < found.size() && count < (keep + 1) / 2; ++i) {
      if (!seen.insert(sort_of(found[i], with_rows)).second || chosen[i]) continue;
      chosen[i] = true;
      ++count;
    }
  }
  for (std::size_t i = 0; i < found.size() && count < keep; ++i) {
    if (chosen[i]) continue;
    chosen[i] = true;
    ++count;
  }
  std::vector<Found> kept;
  for (std::size_t i = 0; i < found.size(); ++i)
    if (chosen[i]) kept.push_back(std::move(found[i]));
  return kept;
}

/// One solution of a*h1 + b*h2 = block is a = `first`; the others follow in steps of h2 / gcd.
std::int64_t smallest_times(std::int64_t h1, std::int64_t h2, std::int64_t block) {
  for (std::int64_t a = 1; a <= h2; ++a)
    if (a * h1 < block && (block - a * h1) % h2 == 0) return a;
  return 0;
}

}  // namespace

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

Dim vectorised_dim(const Computation& computation) {
  const TensorAccess& output = computation.tensors[static_cast<std::size_t>(Operand::output)];
  for (const Role wanted : {Role::channel, Role::batch, Role::pixel})
    for (auto data = output.data.rbegin(); data != output.data.rend(); ++data)
      for (const Term& term : data->terms)
        if (role(computation, term.dim) == wanted) return term.dim;
  TILEPLAN_CHECK(false, "the output depends on no loop");
}

RegisterTile register_tile(const Computation& computation, const KernelCombo& kernels, int lanes,
                           std::int64_t size) {
  std::int64_t pixels = 1, vectors = 1;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    const bool varies = kernels.lambda && kernels.lambda->dim == dim;
    const std::int64_t extent = varies ? size : kernels.base[dim];
    if (dim == kernels.vectorised)
      vectors = extent / lanes;
    else if (role(computation, dim) == Role::pixel)
      pixels *= extent;
  }
  return {.pixels = static_cast<int>(pixels), .vectors = static_cast<int>(vectors)};
}

BaseCycles base_cycles(const Computation& computation, const KernelCombo& kernels,
                       const Machine& machine) {
  BaseCycles cycles;
  const auto add = [&](std::int64_t times, std::int64_t size) {
    const RegisterTile tile = register_tile(computation, kernels, machine.vector.lanes, size);
    const KernelRate rate = kernel_rate(tile, machine);
    cycles.call += static_cast<double>(times) * rate.cycles_per_call;
    cycles.resume += static_cast<double>(times) * rate.cycles_per_resume;
    cycles.step += static_cast<double>(times) * rate.cycles_per_step;
  };
  if (!kernels.lambda)
    add(1, 0);
  else
    for (const Part& part : kernels.lambda->parts) add(part.times, part.size);
  return cycles;
}

std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep) {
  TILEPLAN_CHECK(keep >= 1, "at least one kernel must be kept");
  const Cover cover = cover_of(computation, machine);
  const Rates rates(machine);
  for (const bool only_fast : {true, false}) {
    std::vector<Found> found = Coverings(cover, rates, only_fast).take();
    std::erase_if(found, [&](const Found& each) {
      return !block_fits(computation, combo_of(computation, cover, each), machine);
    });
    if (found.empty()) continue;
    std::vector<KernelCombo> combos;
    for (const Found& each : diverse(std::move(found), static_cast<std::size_t>(keep)))
      combos.push_back(combo_of(computation, cover, each));
    return combos;
  }
  TILEPLAN_CHECK(false, "one pixel and one vector cover everything");
}

}  // namespace tileplan
