// SPDX-License-Identifier: Apache-2.0
// This file declares the stages of the search. Each stage takes the results of the stages before,
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
  const Machine& machine;  ///< The machine has only the cores that a schedule may use.
  const Options& options;
};

struct SearchResults {
  Candidates candidates;
  SearchRecord record;               ///< The record covers searches along the first vectorised dim.
  std::vector<KernelCombo> kernels;  ///< The record covers these kernels.
  /// This is the least compute time of one core over all kernels tried, without steps on padding.
  double least_compute = std::numeric_limits<double>::infinity();
};

/// Searches divisor tiles for a few diverse kernels, whose near-optimal schedules are kept too, and
/// for every other kernel that could still hold the optimum of the per-level model. Throws Error as
/// `layouts_of` does.
SearchResults search_divisor_tiles(const SearchSpace& space);

/// Searches uneven splits of the cache tiles for the kernels of the best schedules.
SearchResults search_uneven_tiles(const SearchSpace& space, SearchResults found);

/// Searches divisor tiles for kernels with vectors of pixels. The record does not cover them,
/// because the per-level model does not include the packed boxes that such vectors need.
SearchResults search_pixel_vectors(const SearchSpace& space, SearchResults found);

/// Adds combinations of two tile sizes along each of two dims when their calls take less time than
/// those of all other kernels. Each block is a whole extent, which leaves no room for cache tiles.
SearchResults search_mixed_tilings(const SearchSpace& space, SearchResults found);

/// Adds kernels whose calls take longer but which predictions do not exclude, because predictions
/// also count the time between calls and idle cores. Their nests have no cache tiles.
SearchResults search_untiled_nests(const SearchSpace& space, SearchResults found);

/// Returns the machine with its narrow vectors if cores may compute faster with them than in
/// `seconds`. Returns nothing if they cannot, or if only one of the two vector units was measured.
std::optional<Machine> promising_narrow_vectors(const SearchSpace& space, double seconds);

}  // namespace tileplan
