// SPDX-License-Identifier: Apache-2.0
// Register tiles by rate, and the ways in which they cover the last two pixel dims and the vectors
// of a computation.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels.h"

namespace tileplan {

/// Rates of all register tiles that fit, by pixels and vectors.
class Rates {
 public:
  /// `vector_input`: of the tiles whose input has vectors too.
  Rates(const Machine& machine, bool vector_input);

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

  std::vector<KernelRate> known(const Machine& machine) const;
  void mark_fast(const std::vector<KernelRate>& known);

  int most_;
  bool vector_input_;
  std::vector<Entry> entries_;
};

/// What covering needs to know: rows and columns are the last two pixel dims (1 and absent if there
/// are fewer).
struct Cover {
  Dim rows{}, columns{}, vectorised{};
  bool has_rows = false, has_columns = false;
  std::int64_t row_extent = 1, column_extent = 1, vector_extent = 1;
  int lanes = 1;
  double outputs = 1;  ///< covered iterations, reductions aside
  double steps = 1;    ///< all reductions
  double hertz = 1;
  double most_outputs = 0;  ///< of a block: they must fit the innermost cache
};

/// Register sizes of one tile: pixels are rows * columns.
struct Shape {
  std::int64_t rows = 1, columns = 1, vectors = 1;
};

/// The direction in which two sizes follow each other.
enum class Along { none, columns, rows, vectors };

/// One way to cover everything.
struct Covering {
  Shape shape;  ///< the size along the lambda's direction is the block's
  Along along = Along::none;
  std::vector<Part> parts;  ///< in units of the register shape (vectors, not elements)
  double seconds = 0;
};

/// Single tiles that divide all extents, and pairs of sizes along one direction whose blocks do.
/// With `only_fast`, of fast tiles alone. In no particular order; per shape and block the two
/// fastest pairs.
std::vector<Covering> coverings(const Cover& cover, const Rates& rates, bool only_fast);

/// Fastest first; equal ones in a fixed order, single tiles and small blocks first.
bool faster(const Covering& a, const Covering& b);

}  // namespace tileplan
