// SPDX-License-Identifier: Apache-2.0
// This file counts the boxes of a Winograd schedule and their elements: models/README.md eq. (W5).
#pragma once

#include "capacity.h"
#include "cores.h"
#include "nest.h"
#include "winograd_problem.h"

namespace tileplan {

/// Describes the boxes of V and of M, which are filled and emptied again and again.
struct WinogradBlocks {
  const WinogradProblem& problem;
  const Nest& nest;
  Cores cores;
  std::size_t in_loops = 0, out_loops = 0;  ///< Counts the loops outside the box of V and of M.
  std::vector<Tile> boxes;                  ///< Holds largest_box_inside() of every position.
  Tile in_box{}, out_box{};                 ///< The largest boxes have these sizes.
  TensorLayout v, m;                        ///< The boxes are stored in these layouts.

  WinogradBlocks(const WinogradProblem& of, const Nest& loops, const Marks& marks,
                 const Machine& machine);

  /// Returns the number of times that the box of V is filled, by all cores.
  double fills() const;
  /// Returns the number of input transforms, each of one tile and one vector of channels.
  double input_transforms() const;
  double output_transforms() const;
  /// The first function returns the elements of V that all fills write, in whole vectors of
  /// channels, and the second one returns the elements of M.
  double filled_elements() const;
  double emptied_elements() const;
  /// Returns the number of input elements that all fills read, when a fill reads each element once.
  /// Neighbouring tiles share rows and columns, which (F2) counts.
  double input_elements() const;
  /// Returns input_elements() for tiles that share columns, but not rows.
  double input_elements_by_rows() const;
  /// Returns the largest number of input elements that one fill reads.
  double fill_elements() const;
  /// Returns the elements of all outputs, in whole cache lines of `line` elements per box.
  double output_elements(double line) const;

 private:
  double input_rows(double tiles) const;
  double input_columns(double tiles) const;
  int lanes_;
};

/// Holds the elements that cross the link into one cache while all products are computed.
struct ProductTraffic {
  double v = 0, u = 0, m = 0;
  /// If true, the box of V or M stays in the cache while it is in use.
  bool keeps_v = false, keeps_m = false;
  /// This share of M is no longer in the cache when the output transform reads it.
  double missed_m = 0;
  std::size_t cut = 0;  ///< The cache holds the box inside this many loops.
  double needed = 0;    ///< The capacity rule needs these bytes for the box inside `cut`.
  /// The capacity rule needs these bytes for the box of the next loop outside. This is 0 when there
  /// is no such loop.
  double outside = 0;
};

/// Returns the traffic of all cores into `cache` when `bytes` of it can be used. The memory of V
/// and of M is used again for each box, so that larger boxes of loops need no more of this memory.
/// Other elements follow the rules (C), (X) and (V).
ProductTraffic product_traffic(const WinogradBlocks& blocks, const CacheLevel& cache, double bytes,
                               CapacityRule rule);

}  // namespace tileplan
