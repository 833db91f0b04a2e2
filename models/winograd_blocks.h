// SPDX-License-Identifier: Apache-2.0
// This file counts the boxes of a Winograd schedule, their elements, and those that the products
// load into a cache: models/README.md eq. (W5), (W6).
#pragma once

#include "capacity.h"
#include "cores.h"
#include "nest.h"
#include "winograd_problem.h"

namespace tileplan {

/// Describes the boxes of a Winograd schedule: V holds transformed input tiles and M holds their
/// products. Both are filled and emptied once per iteration of the loops outside them. The problem
/// and the nest must outlive this object.
struct WinogradBlocks {
  const WinogradProblem& problem;
  const Nest& nest;
  Cores cores;
  /// Count the loops outside the box of V and outside the box of M.
  std::size_t in_loops = 0, out_loops = 0;
  std::vector<Tile> boxes;   ///< Holds largest_box_inside() of every loop position.
  Tile in_box{}, out_box{};  ///< Give the sizes of the largest boxes of V and of M.
  TensorLayout v, m;         ///< Hold the layouts in which the boxes are stored.

  WinogradBlocks(const WinogradProblem& of, const Nest& loops, const Marks& marks,
                 const Machine& machine);

  /// Returns the number of times that all cores together fill a box of V.
  double fills() const;
  /// Returns the number of input transforms of all cores, each of one tile and one vector of
  /// channels.
  double input_transforms() const;
  double output_transforms() const;
  /// Return the number of elements of V that all fills write, in whole vectors of channels, and the
  /// number of elements of M that are emptied.
  double filled_elements() const;
  double emptied_elements() const;
  /// Returns the number of input elements that all fills read, when a fill reads each element once.
  /// Neighbouring tiles share rows and columns, so shared elements are counted once, by (F2). Each
  /// fill counts as the largest one.
  double input_elements() const;
  /// Returns the value that input_elements() would have if neighbouring tiles shared columns only,
  /// and each row of tiles read its rows again.
  double input_elements_by_rows() const;
  /// Returns the largest number of input elements that one fill reads.
  double fill_elements() const;
  /// Returns the number of elements of the output, where the channels of a box take whole cache
  /// lines of `line` elements at each pixel.
  double output_elements(double line) const;

 private:
  double input_rows(double tiles) const;
  double input_columns(double tiles) const;
  int lanes_;
};

/// Counts the elements of V, U (transformed weights) and M that cross the link into one cache while
/// all products are computed.
struct ProductTraffic {
  double v = 0, u = 0, m = 0;
  /// Tell whether the box of V and the box of M stay in the cache while they are in use.
  bool keeps_v = false, keeps_m = false;
  /// Gives the share of M that is no longer in the cache when the output transform reads it.
  double missed_m = 0;
  /// Counts the loops outside the box that the cache holds.
  std::size_t cut = 0;
  double needed = 0;  ///< Gives the bytes that must fit for the box inside `cut`, eq. (C).
  /// Gives the bytes that must fit for the box of the next loop outside, or 0 when there is no such
  /// loop.
  double outside = 0;
};

/// Returns the traffic of all cores into `cache` when the data may fill `bytes` of the cache. The
/// memory of V and of M is used again for each box, so it does not grow with the number of boxes.
/// Other elements follow the rules (C), (X) and (V).
ProductTraffic product_traffic(const WinogradBlocks& blocks, const CacheLevel& cache, double bytes,
                               CapacityRule rule);

}  // namespace tileplan
