// SPDX-License-Identifier: Apache-2.0
// This file declares the stages of the search. Each takes what the stages before it found, which
// limits what it has to look at, and returns it with its own results added.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "candidates.h"
#include "certificate.h"
#include "kernels.h"
#include "orders.h"

namespace tileplan {

/// Describes what is searched.
struct SearchSpace {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;  ///< with the cores that a schedule may use
  const Options& options;
};

struct SearchResults {
  Candidates candidates;
  SearchRecord record;               ///< of the exact searches along the first vectorised dim
  std::vector<KernelCombo> kernels;  ///< those of the record
  /// The least compute time of one core in any kernels tried. It counts the steps that read the
  /// array.
  double least_compute = std::numeric_limits<double>::infinity();
};

/// Searches divisor tiles for a diverse few kernels, whose near-optimal schedules are kept too, and
/// for every other kernel that could still hold the optimum of the band model. Throws Error as
/// `layouts_of` does.
SearchResults search_divisor_tiles(const SearchSpace& space);

/// Searches uneven splits of the cache tiles for the kernels of the best schedules.
SearchResults search_uneven_tiles(const SearchSpace& space, SearchResults found);

/// Searches divisor tiles for kernels with vectors of pixels. They are no part of the record: the
/// band model does not know the boxes that such vectors need.
SearchResults search_pixel_vectors(const SearchSpace& space, SearchResults found);

/// Adds combinations of two sizes along each of two dims where their calls take less than all
/// others. Their blocks are whole extents, which leaves no room for cache tiles.
SearchResults search_mixed_tilings(const SearchSpace& space, SearchResults found);

/// Adds kernels whose calls take longer but which predictions do not exclude, because predictions
/// also count the time between calls and idle cores. They have no cache tiles.
SearchResults search_untiled_nests(const SearchSpace& space, SearchResults found);

/// Returns the machine with its narrow vectors where cores may compute faster with them than in
/// `seconds`. Returns nothing where they cannot, or where only the rates of one unit were measured.
std::optional<Machine> promising_narrow_vectors(const SearchSpace& space, double seconds);

}  // namespace tileplan
