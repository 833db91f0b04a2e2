// SPDX-License-Identifier: Apache-2.0
// Register tiles by rate, and the ways in which they cover the last two pixel dims and the vectors
// of a computation.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.h"

namespace tileplan {

/// Register sizes of one tile: pixels are rows * columns; with vectors of pixels, columns are
/// channels.
struct TileShape {
  std::int64_t rows = 1, columns = 1, vectors = 1;
};

/// Which operands have vectors; the other one is broadcast.
enum class VectorOperands { weights, both, input };

/// TileRates of all register tiles that fit.
class TileRates {
 public:
  TileRates(const Machine& machine, VectorOperands operands);

  int most() const { return most_; }
  /// Requires that the tile fits.
  const KernelRate& rate(const TileShape& shape) const { return entries_[place(shape)].rate; }
  /// The tile exists, and is fast if that is asked for.
  bool admits(const TileShape& shape, bool only_fast) const {
    if (shape.rows * shape.columns > most_ || shape.vectors > most_) return false;
    const Entry& found = entries_[place(shape)];
    return only_fast ? found.fast : found.fits;
  }

 private:
  struct Entry {
    TileShape shape;
    bool fits = false;
    bool fast = false;
    KernelRate rate;
  };

  /// By channels where they matter, pixels and vectors.
  std::size_t place(const TileShape& shape) const {
    const std::int64_t channels = operands_ == VectorOperands::input ? shape.columns : 0;
    const std::int64_t side = most_ + 1;
    return static_cast<std::size_t>((channels * side + shape.rows * shape.columns) * side +
                                    shape.vectors);
  }
  void add(const TileShape& shape, const Machine& machine);
  std::vector<TileShape> known(const Machine& machine) const;
  void mark_fast(const std::vector<TileShape>& known);

  int most_;
  VectorOperands operands_;
  std::vector<Entry> entries_;
};

/// What covering needs to know: rows and columns are the last two pixel dims (1 and absent if there
/// are fewer), or the last other pixel dim and the channels beside vectors of pixels.
struct Cover {
  Dim rows{}, columns{}, vectorised{};
  bool has_rows = false, has_columns = false;
  bool pixel_vectors = false;
  std::int64_t row_extent = 1, column_extent = 1, vector_extent = 1;
  int lanes = 1;
  double outputs = 1;  ///< covered iterations, reductions aside
  double steps = 1;    ///< all reductions
  double hertz = 1;
  double most_outputs = 0;  ///< of a block: they must fit the innermost cache
  int ways = 0;             ///< of that cache
};

/// The direction in which two sizes follow each other.
enum class Along { none, columns, rows, vectors };

std::int64_t& size_of(TileShape& shape, Along along);
std::int64_t extent_of(const Cover& cover, Along along);
double outputs_of(const Cover& cover,
                  const TileShape& box);  ///< covered by one box, lanes included
/// Cycles of one call with the whole reduction.
double call_cycles(const Cover& cover, const KernelRate& rate);
/// Seconds of as many boxes as cover everything, each in `cycles`.
double seconds_of(const Cover& cover, const TileShape& box, double cycles);

/// One way to cover everything.
struct Covering {
  TileShape shape;  ///< the size along the lambda's direction is the block's
  Along along = Along::none;
  std::vector<Part> parts;  ///< in units of the register shape (vectors, not elements)
  double seconds = 0;
};

/// Of the covers of `extent` by `low` and `high`, one with the fewest and one with the most of
/// `low`; one where these are the same, none where there is no cover with both.
std::vector<std::vector<Part>> extremes(std::int64_t extent, std::int64_t low, std::int64_t high);

/// Single tiles that divide all extents, and pairs of sizes along one direction whose blocks do.
/// With `only_fast`, of fast tiles alone. In no particular order; per shape and block the two
/// fastest pairs.
std::vector<Covering> coverings(const Cover& cover, const TileRates& rates, bool only_fast);

/// Fastest first; equal ones in a fixed order, single tiles and small blocks first.
bool faster(const Covering& a, const Covering& b);

}  // namespace tileplan
