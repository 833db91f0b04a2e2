// SPDX-License-Identifier: Apache-2.0
// This file declares the stages of the search. Each stage after the first takes the results of the
// previous stages, which limit its search, and returns them with its own results added. A last
// function tells whether to search narrow vectors too.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "candidates.h"
#include "certificate.h"
#include "kernels.h"
#include "orders.h"

namespace tileplan {

struct SearchSpace {
  const Computation& computation;
  const OrderClasses& classes;
  /// Has only the cores that a schedule may use.
  const Machine& machine;
  const Options& options;
};

struct SearchResults {
  Candidates candidates;
  /// Describes the searches with vectors along vectorised_dim() (kernels.h) only.
  SearchRecord record;
  std::vector<KernelCombo> combos;  ///< Lists the combinations that the record covers.
  /// Gives the least compute time of one core, without steps on padding, for vectors along each
  /// dimension. Only combinations whose divisor tiles were searched count.
  std::map<Dim, double> least_compute_seconds = {};
};

/// Searches divisor tiles (tiles that divide the extents) for a few diverse combinations of
/// microkernels, whose near-optimal schedules are kept too, and for every other combination that
/// could still hold the optimum of the per-level model. Throws Error as `layouts_of` and `predict`
/// do.
SearchResults search_divisor_tiles(const SearchSpace& space);

/// Searches uneven splits of the cache tiles for the two combinations with the best per-level
/// schedules, if these combinations may have any (has_uneven_splits in exact.h).
SearchResults search_uneven_tiles(const SearchSpace& space, SearchResults found);

/// Searches divisor tiles for microkernels with vectors of pixels. The record does not cover these
/// searches, because the per-level model does not include the packed boxes that such vectors may
/// need.
SearchResults search_pixel_vectors(const SearchSpace& space, SearchResults found);

/// Adds combinations with two register tile sizes along one or two dimensions if their calls take
/// over 2 % less time than those of every combination with the same vectorised dimension whose
/// divisor tiles were searched, and less than the best prediction. Such a combination spans the
/// whole extents of these dimensions, and only its nests without cache tiles are added.
SearchResults search_mixed_tilings(const SearchSpace& space, SearchResults found);

/// Adds nests without cache tiles for further combinations whose calls take less time than the best
/// prediction. Their calls may be slower than those of the combinations that were tried before.
/// Their predictions may still be better, because predictions also count idle cores and the time
/// between calls.
SearchResults search_untiled_nests(const SearchSpace& space, SearchResults found);

/// Adds schedules that differ from the best schedules in the order of loops or in the layout of the
/// input (loop_moves.h).
SearchResults search_loop_orders(const SearchSpace& space, SearchResults found);

/// Returns the machine with its narrow vectors if microkernel calls with narrow vectors take
/// clearly less time than `seconds`, the best prediction so far, and than calls with wide vectors.
/// Returns nothing otherwise, if the machine has no narrow vectors, if only one of the two vector
/// units was measured, or if narrow vectors are too short for the layouts.
std::optional<Machine> promising_narrow_vectors(const SearchSpace& space, double seconds);

}  // namespace tileplan
