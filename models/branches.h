// SPDX-License-Identifier: Apache-2.0
// Each choice of one size per lambda, e.g. L(d,[2*11,1*12]), is a branch of a nest. These functions
// count the microkernel calls of branches: models/README.md eq. (S).
#pragma once

#include <optional>
#include <vector>

#include "nest.h"
#include "throughput.h"

namespace tileplan {

/// Holds a nest in which a loop over one part replaces each lambda (with_part).
struct Branch {
  Nest nest;
  /// Holds the position of the outermost loop that is inside all replaced lambdas and inside the
  /// loops whose trips they set.
  std::size_t kernel_loops = 0;

  bool operator==(const Branch&) const = default;
};

/// Returns one branch for each choice of a part per lambda outside position `limit`. Branches with
/// the first part of a lambda precede branches with later parts.
std::vector<Branch> branches_of(const Nest& nest, std::size_t limit);
std::vector<Branch> branches_of(const Nest& nest);

/// Returns the box inside loop `position` when each lambda outside `position` has its largest part.
Tile largest_box_inside(const Nest& nest, std::size_t position);

constexpr std::uint32_t kAllDims = ~0U;

/// Returns the number of times that the body of loop `last - 1` runs in one iteration of loop
/// `first - 1`. Only loops over a dim of the set `dims` (bit `index(dim)`) are counted. The
/// iterations of the parts of a lambda are added. Requires that a part was chosen for each lambda
/// outside `first` that sets the trips of a loop inside.
std::int64_t iterations_of(const Nest& nest, std::size_t first, std::size_t last,
                           std::uint32_t dims);

/// Returns the number of pixels of a register tile of `base` that are neighbours along the
/// innermost pixel dim.
std::int64_t row_pixels(const Computation& computation, Dim vectorised, const Tile& base);

/// Returns the register tile of one microkernel call: vectors of the vectorised dim times the base
/// sizes of the other output dims. Requires that no lambda sets a size of the base box.
RegisterTile register_tile(const Computation& computation, const Nest& nest, int lanes);

struct Calls {
  double calls = 1;
  double steps = 1;    ///< Each call has this many reduction steps.
  double resumed = 0;  ///< This many calls continue a sum whose first part is in the output.
};

/// Counts the microkernel calls of `branch`. The trips of the reduction loops directly around the
/// register tile are steps of a call. All other trips multiply the calls.
Calls calls_of(const Computation& computation, const Branch& branch);

/// Returns the position of the outermost loop that one microkernel call runs. A call runs the
/// reduction loops directly around the register tile and the loops of one trip among them.
std::size_t microkernel_begin(const Computation& computation, const Nest& nest);

/// Returns the number of loops outside the outermost box that equals `box`, or nothing.
std::optional<std::size_t> loops_outside_equal(const Nest& nest, const Tile& box);

/// Returns the number of loops outside the outermost box that fits inside `cut`.
std::size_t loops_outside(const Computation& computation, const Nest& nest, const Tile& cut);

}  // namespace tileplan
