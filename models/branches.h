// SPDX-License-Identifier: Apache-2.0
// A branch of a nest has one size for each list of blocks (lambda), e.g. 11 or 12 for
// L(d,[2*11,1*12]). These functions list branches, describe their register tiles, count their
// microkernel calls (models/README.md eq. (S)) and find boxes among their loops.
#pragma once

#include <optional>
#include <vector>

#include "nest.h"
#include "throughput.h"

namespace tileplan {

/// Holds a copy of a nest in which lists of blocks (lambdas, L(d,[...]) or P(d,[...]) in schedules)
/// are replaced by plain loops, each over one part of its list (with_part). Sizes are then constant
/// in the loops inside.
struct Branch {
  Nest nest;
  /// Holds the position of the outermost loop that is inside all replaced lambdas and inside all
  /// loops whose trips they set.
  std::size_t kernel_loops = 0;

  bool operator==(const Branch&) const = default;
};

/// Return one branch for each combination of parts of the lambdas outside position `limit`, or of
/// all lambdas without a limit. Branches with the first part of a lambda precede branches with
/// later parts.
std::vector<Branch> branches_of(const Nest& nest, std::size_t limit);
std::vector<Branch> branches_of(const Nest& nest);

/// Returns the box of iterations of the loops from `position` inwards (box_inside) when each lambda
/// outside `position` has its largest block.
Tile largest_box_inside(const Nest& nest, std::size_t position);

constexpr std::uint32_t kAllDims = ~0U;

/// Returns the number of times that the body of loop `last - 1` runs in one iteration of loop
/// `first - 1`. Only loops over a dimension of the set `dims` (bit `index(dim)`) are counted. The
/// trips of all parts of a lambda are added. Requires that a part was chosen for each lambda
/// outside `first` that sets the trips of a loop inside.
std::int64_t iterations_of(const Nest& nest, std::size_t first, std::size_t last,
                           std::uint32_t dims);

/// Returns the number of pixels of the register tile `base` that are neighbours along the innermost
/// pixel dimension. Dimensions of extent 1 and `vectorised` are left out, and the result is 1 if no
/// dimension remains.
std::int64_t row_pixels(const Computation& computation, Dim vectorised, const Tile& base);

/// Returns the register tile of one microkernel call: the vectors along the vectorised dimension
/// and the product of the tile's sizes along the other output dimensions. Requires that no lambda
/// sets a size of the tile.
RegisterTile register_tile(const Computation& computation, const Nest& nest, int lanes);

struct Calls {
  double calls = 1;
  double steps = 1;    ///< Counts the reduction steps of each call.
  double resumed = 0;  ///< Counts the calls that continue a sum whose first part is in the output.
};

/// Counts the microkernel calls of `branch`. The steps of a call are those of the register tile
/// times the trips of the reduction loops directly around it, but not of loops outside the position
/// Branch::kernel_loops. The trips of all other loops multiply the calls.
Calls calls_of(const Computation& computation, const Branch& branch);

/// Returns the position of the outermost loop that one microkernel call runs. A call runs the loops
/// directly around the register tile that are over reductions or have one trip. If a call runs no
/// loop, the result is the number of loops.
std::size_t microkernel_begin(const Computation& computation, const Nest& nest);

/// Returns the position of the outermost loop that one call of `branch` runs, or kernel_loops if it
/// is further inside: a lambda stays outside the call even if one of its parts has a single block.
std::size_t microkernel_begin(const Computation& computation, const Branch& branch);

/// Returns the number of loops outside the outermost box that equals `box`, or nothing when no box
/// equals it.
std::optional<std::size_t> loops_outside_equal(const Nest& nest, const Tile& box);

/// Returns the number of loops outside the outermost box that equals `cut`, in the nest itself or
/// else in one of its branches. If no box equals `cut`, the outermost box of the nest that fits
/// inside `cut` is taken, or the register tile if none fits.
std::size_t loops_outside(const Computation& computation, const Nest& nest, const Tile& cut);

}  // namespace tileplan
