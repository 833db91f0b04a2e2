// SPDX-License-Identifier: Apache-2.0
// This file declares the stages of the search. Each takes the results of the stages before it,
// which limit its search, and returns them with its own results added.
#pragma once

#include <limits>
#include <optional>
#include <vector>

#include "candidates.h"
#include "certificate.h"
#include "kernels.h"
#include "orders.h"

namespace tileplan {

/// Describes the space that is searched.
struct SearchSpace {
  const Computation& computation;
  const OrderClasses& classes;
  const Machine& machine;  ///< It has only the cores that a schedule may use.
  const Options& options;
};

struct SearchResults {
  Candidates candidates;
  SearchRecord record;               ///< It covers searches along the first vectorised dim.
  std::vector<KernelCombo> kernels;  ///< The record covers these.
  /// It is the least compute time of one core in any kernels tried, without steps on padding.
  double least_compute = std::numeric_limits<double>::infinity();
};

/// Searches divisor tiles for a diverse few kernels, whose near-optimal schedules are kept too, and
/// for every other kernel that could still hold the optimum of the per-level model. Throws Error as
/// `layouts_of` does.
SearchResults search_divisor_tiles(const SearchSpace& space);

/// Searches uneven splits of the cache tiles for the kernels of the best schedules.
SearchResults search_uneven_tiles(const SearchSpace& space, SearchResults found);

/// Searches divisor tiles for kernels with vectors of pixels. The record leaves them out, because
/// the per-level model does not include the boxes that such vectors need.
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
