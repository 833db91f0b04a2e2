// SPDX-License-Identifier: Apache-2.0
// This file rates register tiles and lists the ways in which they cover the vectors and up to three
// other output dimensions of a computation.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "computation.h"
#include "throughput.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds the size of a register tile: rows x columns x images pixels, times `vectors` vectors of
/// channels. If vectors hold pixels, `columns` counts channels.
struct TileShape {
  std::int64_t rows = 1, columns = 1, vectors = 1, images = 1;

  std::int64_t pixels() const { return rows * columns * images; }
  auto operator<=>(const TileShape&) const = default;
};

/// Selects the operands that are loaded as vectors. An operand that is not loaded as vectors is
/// broadcast.
enum class VectorOperands { weights, both, input };

/// Holds the rates of all register tiles that fit the registers.
class TileRates {
 public:
  TileRates(const Machine& machine, VectorOperands operands);

  /// Returns a limit on the number of pixels, and also on that of vectors, of a register tile.
  int most() const { return most_; }
  /// Returns the rate of a register tile. Requires that the tile fits the registers.
  const KernelRate& rate(const TileShape& shape) const { return entries_[place(shape)].rate; }
  /// Returns true when the tile fits the registers and, if `only_fast`, is fast: it reaches 85 % of
  /// the best rate and, with vectors of weights, is in rates.kernels of the machine unless that is
  /// empty.
  bool admits(const TileShape& shape, bool only_fast) const {
    if (shape.pixels() > most_ || shape.vectors > most_) return false;
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

  /// Returns the position of `shape` in `entries_`, which is ordered by columns, pixels and
  /// vectors. Columns count as 0 unless the rate depends on them: with vectors of pixels, where
  /// they are channels, and with tiles of AMX.
  std::size_t place(const TileShape& shape) const {
    const std::int64_t columns = by_columns_ ? shape.columns : 0;
    const std::int64_t side = most_ + 1;
    return static_cast<std::size_t>((columns * side + shape.pixels()) * side + shape.vectors);
  }
  void add(const TileShape& shape, const Machine& machine);
  void mark_fast(const Machine& machine);

  int most_;
  VectorOperands operands_;
  bool by_columns_;  ///< Tells whether the rate of a shape depends on its columns.
  std::vector<Entry> entries_;
};

/// Describes the extents that register tiles cover. Rows and columns are the last two pixel
/// dimensions of several iterations (extent 1 if there are fewer) or, with vectors of pixels, the
/// last other pixel dimension and the channels. Images are the next pixel dimension, such as the
/// depth or the batch.
struct TilingProblem {
  std::optional<Dim> rows = {}, columns = {}, images = {};
  Dim vectorised{};
  bool pixel_vectors = false;
  std::int64_t row_extent = 1, column_extent = 1, vector_extent = 1, image_extent = 1;
  int lanes = 1;
  double outputs = 1;  ///< Counts all iterations except those of reductions.
  double steps = 1;    ///< Counts the reduction steps of one output.
  double hertz = 1;
  /// Counts the outputs of the largest block that fits the innermost cache. It is infinite without
  /// caches.
  double most_outputs = 0;
  int ways = 0;   ///< Counts the ways of the innermost cache.
  int cores = 1;  ///< Counts the cores that may share the calls.
};

/// Names the direction along which two sizes are used one after the other.
enum class SplitAxis { none, columns, rows, vectors };

std::int64_t& size_of(TileShape& shape, SplitAxis axis);
std::int64_t extent_of(const TilingProblem& problem, SplitAxis axis);
/// Returns the number of outputs of `box`, where each lane of a vector counts as one output.
double outputs_of(const TilingProblem& problem, const TileShape& box);
/// Returns the cycles of one call that runs the whole reduction.
double call_cycles(const TilingProblem& problem, const KernelRate& rate);
/// Returns the seconds of all boxes that cover the problem when each box takes `cycles`.
double seconds_of(const TilingProblem& problem, const TileShape& box, double cycles);

struct RegisterTiling {
  /// Holds the sizes of the register tile, and the size of the block along `axis`.
  TileShape shape;
  SplitAxis axis = SplitAxis::none;
  /// Lists the two sizes in units of TileShape (vectors, not elements). It is empty for a single
  /// tile.
  std::vector<Part> parts;
  double seconds = 0;
};

/// Returns all solutions of a1*h1 + a2*h2 = extent with a1, a2 >= 1 and h1 < h2 from `sizes`
/// (ascending), ordered by h1, h2, a1. Example: 34 has six solutions with sizes from 8 to 15, among
/// them 2*11 + 1*12.
std::vector<std::vector<Part>> exact_covers(std::int64_t extent,
                                            const std::vector<std::int64_t>& sizes);

/// Returns the covers of `extent` by `low` and `high` with the fewest and with the most blocks of
/// `low`. Returns one cover if both are equal, and none if no cover has both sizes.
std::vector<std::vector<Part>> extreme_covers(std::int64_t extent, std::int64_t low,
                                              std::int64_t high);

/// Returns single tiles that divide all extents, and pairs of sizes along one direction whose
/// blocks divide the extent, in no particular order. Tiles of several images span one row or all
/// rows, and one column or all columns, because other tiles have enough pixels without several
/// images. The two fastest pairs of each shape and block are kept, and for several cores the pair
/// that they share most evenly, if its block is the whole extent. Blocks with more outputs than
/// TilingProblem::most_outputs are left out, and so are tilings of one column and several rows if
/// rows and columns have equal extents of pixels, because they mirror tilings of one row.
/// `only_fast` admits fast tiles alone.
std::vector<RegisterTiling> register_tilings(const TilingProblem& problem, const TileRates& rates,
                                             bool only_fast);

/// Returns true when `a` is faster than `b`. Among equally fast tilings, a single tile comes first,
/// then the axis in the order of SplitAxis, then the smaller block.
bool faster(const RegisterTiling& a, const RegisterTiling& b);

}  // namespace tileplan
