// SPDX-License-Identifier: Apache-2.0
// These functions count the data that loop nests move, independent of a machine: footprints,
// volumes, lower bounds and classes of loop orders.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tileplan/problem.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Names a loop of a problem, such as `k`, and its extent.
struct LoopExtent {
  std::string name = {};
  std::int64_t extent = 1;

  bool operator==(const LoopExtent&) const = default;
};

/// Returns the loops of `problem` in the order in which its relation names them. The loops d and t
/// of a convolution without depth follow last, with extent 1. Throws Error for a size below 1, for
/// tensors or loops that are too large, and for relations that are not as Relation describes, but
/// does not check all rules of validate().
std::vector<LoopExtent> loops_of(const Problem& problem);

/// Describes a tile, the order of the loops over tiles, and the box that these loops cover.
struct TileLoops {
  std::vector<std::string> order = {};  ///< Lists the loops over tiles, outermost first.
  /// Gives sizes of the tile; a loop without an entry has size 1.
  std::map<std::string, std::int64_t> tile = {};
  /// Gives sizes of the box; a loop without an entry has its whole extent in the problem.
  std::map<std::string, std::int64_t> box = {};
  /// If true, padding is not counted, and the footprint is that of the largest tile.
  bool clip = false;
};

/// Counts the elements of one tensor that a cache loads while it holds one tile at a time.
struct TensorMovement {
  std::string tensor = {};     ///< Names the tensor as the relation of the problem does.
  std::int64_t footprint = 0;  ///< Counts the distinct elements that one tile touches, eq. (F2).
  std::int64_t volume = 0;     ///< Counts the elements that all tiles together load, eq. (V).

  bool operator==(const TensorMovement&) const = default;
};

/// Returns the movement of both inputs, and then of the output, by the equations of
/// models/README.md. Throws Error with the rule where loops_of() does, and when a loop is unknown
/// or appears twice, a size is below 1 or above that of the box or of the problem, a loop that the
/// tile does not cover is missing, or the box has more than 2^63 - 1 iterations. With `clip`, also
/// throws Error when the iterators of an index have more than 10^9 combinations, unless the index
/// has one iterator and no padding.
std::vector<TensorMovement> movement(const Problem& problem, const TileLoops& loops);

/// Holds lower bounds on the elements that any schedule loads into a fast memory.
struct LowerBound {
  /// Equals 2V/sqrt(tau S) - 2S for V multiply-adds and S elements of fast memory, but at least 0.
  /// models/README.md defines tau, eq. (LB1).
  double lb1 = 0;
  /// Bounds the loads by splitting the execution into segments with equally many loads, which is
  /// tighter than lb1; models/README.md eq. (LB2).
  double lb2 = 0;
  double compulsory = 0;  ///< Counts each touched element once, including padding.
  /// Gives the largest of the three bounds. For the products of a Winograd schedule, it counts the
  /// transformed weights alone, because V and M may stay in a cache.
  double bound = 0;
  double bytes = 0;  ///< Bounds the bytes that any schedule loads.
};

/// Returns bounds for a fast memory of `capacity` elements of the smallest type when outputs are
/// accumulated in place. The bounds hold for any stride, dilation, groups and batch. lb1 and lb2
/// are 0 where their proof does not cover the accesses. Throws Error when `capacity` is below 1,
/// and where loops_of() does.
LowerBound lower_bound(const Problem& problem, double capacity);

/// Describes a class of loop orders that move equally much data for all tile sizes.
struct LoopOrderClass {
  /// Names the innermost loops that define the class: in "kw", the innermost loop is k and the next
  /// one w. No order with these innermost loops loads less than `order`. If a loop of the problem
  /// has a name of several letters, the names are joined by ".".
  std::string name = {};
  std::vector<std::string> order = {};  ///< Holds one order of the class, outermost loop first.
};

struct LoopOrderClasses {
  /// Counts the distinct movement formulas before dominated ones are removed.
  int signatures = 0;
  /// Lists the classes, starting with those that have fewer defining loops. There is at least one
  /// class.
  std::vector<LoopOrderClass> classes = {};
};

/// Returns the classes of `problem`. For every tile, the order of some class has the least volume
/// of all permutations of the loops. Loops of extent 1 are left out. Throws Error where loops_of()
/// does. Example: a 3x3 convolution has the classes h, w, r, s, kh, kw, kr and ks.
LoopOrderClasses loop_order_classes(const Problem& problem);

}  // namespace tileplan
