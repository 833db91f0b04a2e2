// SPDX-License-Identifier: Apache-2.0
// Hardware prefetchers do not follow short rows of a tensor, so the cache lines of such rows load
// more slowly. So do the cache lines of rows in many pages: models/README.md eq. (M).
#pragma once

#include <cstddef>

#include "flat.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Give the largest number of cache lines of a short row: of an input, whose rows have any length
/// and alignment, and of weights in place, whose rows are whole vectors (docs/experiments.md).
inline constexpr double kShortInput = 2, kShortWeights = 1;

/// Holds two boxes of a tensor: the box that a cache holds, and the box that the loops cover before
/// the cache evicts a part of it.
struct HeldRows {
  const Tile& cut;
  const Tile& walked;
  double short_lines = kShortInput;  ///< Rows of at most this many cache lines are short.
};

/// Returns the time of a tensor's cache lines on the link that fills cache `at`, divided by the
/// time of equally many lines in long rows, which hardware prefetchers follow. The result is 1 for
/// rows that are not short. A row is a contiguous piece of the box that the cache holds. If these
/// pieces are shorter than a cache line, or few enough for prefetchers to follow them all, a row is
/// a piece of the larger box `walked`. `read` is the layout that microkernels read.
double short_row_penalty(const TensorAccess& tensor, const TensorLayout& read, const HeldRows& rows,
                         const Machine& machine, std::size_t at);

/// Returns the number of pages that the rows of weights of `box` touch where `layout` stores them
/// in place. Example: 64 rows of 128 floats that begin 4096 bytes apart are in 63 + 1/8 pages.
double pages_of_weights(const Computation& computation, const TensorLayout& layout,
                        const Tile& box);

/// Returns the time of weights in place on the link that fills cache `at`, divided by their time
/// when each call of a microkernel reads few pages. `pages` are those of one call. The result is 1
/// on the innermost link, on that from memory, and for at most 128 pages.
double many_pages_penalty(double pages, const Machine& machine, std::size_t at);

/// Returns the length in cache lines, of `line` elements each, of the rows of `output` that `nest`
/// writes. A row is a contiguous piece of the smallest box of loops that has more rows than the
/// core writes at a time without delay, or of the whole nest if no box has so many. If the nest has
/// lambdas, its first branch counts. Example: a loop over 190 tiles of 8 rows inside a loop over
/// vectors of 16 columns writes rows of one line.
double written_row_lines(const TensorAccess& output, const TensorLayout& layout, const Nest& nest,
                         double line);

/// Returns the time of the reads for ownership of rows of `row_lines` cache lines on the link that
/// fills cache `at`, divided by their time in long rows. Only the first two cache lines of a row
/// are slow. The result is 1 on the innermost link.
double written_row_penalty(double row_lines, const Machine& machine, std::size_t at);

}  // namespace tileplan
