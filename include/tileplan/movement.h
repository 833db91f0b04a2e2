// SPDX-License-Identifier: Apache-2.0
// These functions count the data that loop nests move, without a machine: footprints, volumes,
// lower bounds and classes of loop orders.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tileplan/problem.h"
#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// A loop of a problem, such as `k` of extent 64.
struct LoopExtent {
  std::string name = {};
  std::int64_t extent = 1;

  bool operator==(const LoopExtent&) const = default;
};

/// Returns the loops of `problem` in the order in which its relation names them. Throws Error when
/// validate() refuses the problem.
std::vector<LoopExtent> loops_of(const Problem& problem);

/// A tile, the order of the loops over tiles, and the box that these loops cover.
struct TileLoops {
  std::vector<std::string> order = {};            ///< names of loops, outermost first
  std::map<std::string, std::int64_t> tile = {};  ///< sizes; 1 where absent
  std::map<std::string, std::int64_t> box = {};  ///< sizes; the extents of the problem where absent
  /// Counts only elements that exist without padding. The footprint is then that of the fullest
  /// tile.
  bool clip = false;
};

/// The elements of one tensor that one cache loads while it holds one tile at a time.
struct TensorMovement {
  std::string tensor = {};     ///< the name of the tensor in the relation of the problem
  std::int64_t footprint = 0;  ///< distinct elements of one tile, models/README.md eq. (F)
  std::int64_t volume = 0;     ///< elements loaded by all tiles, models/README.md eq. (V)

  bool operator==(const TensorMovement&) const = default;
};

/// Returns the movement of each tensor: both inputs, and then the output. Throws Error with the
/// rule when a loop is unknown or appears twice, when a size is below 1 or above that of the box or
/// of the problem, when a loop that the tile does not cover is missing, or when the box has more
/// than 2^63 - 1 iterations.
std::vector<TensorMovement> movement(const Problem& problem, const TileLoops& loops);

/// Lower bounds on the elements that any schedule loads into a fast memory.
struct LowerBound {
  double lb1 = 0;         ///< 2V/sqrt(tau S) - 2S, at least 0; models/README.md eq. (LB1)
  double lb2 = 0;         ///< the sharper segment bound; models/README.md eq. (LB2)
  double compulsory = 0;  ///< every touched element once; padding counts as elements
  double bound = 0;       ///< the largest of the three
  double bytes = 0;       ///< bytes of the compulsory elements, or one unit per element of `bound`
};

/// Returns bounds for a fast memory of `capacity` elements when outputs are accumulated in place.
/// They hold for any stride, dilation, groups and batch. lb1 and lb2 are 0 where their proof does
/// not cover the accesses. Throws Error when `capacity` is below 1 or validate() refuses the
/// problem.
LowerBound lower_bound(const Problem& problem, double capacity);

/// One loop order of a class whose members move equally much data for all tile sizes.
struct LoopOrderClass {
  /// The innermost loops that define the class, innermost first: "kw" has k innermost, then w.
  /// Names of several letters are joined by ".".
  std::string name = {};
  std::vector<std::string> order = {};  ///< a representative, outermost first
};

struct LoopOrderClasses {
  int signatures = 0;  ///< distinct movement formulas before dominated ones are removed
  std::vector<LoopOrderClass> classes = {};  ///< never empty; fewest defining loops first
};

/// Returns the classes of `problem`. The least volume over the classes is the least over all
/// permutations, for every tile. Loops of extent 1 are left out. Throws Error when validate()
/// refuses the problem. Example: a 3x3 convolution has the classes h, w, r, s, kh, kw, kr and ks.
LoopOrderClasses loop_order_classes(const Problem& problem);

}  // namespace tileplan
