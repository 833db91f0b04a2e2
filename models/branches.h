// SPDX-License-Identifier: Apache-2.0
// A nest with lambdas has branches, whose calls are counted here: models/README.md eq. (S).
#pragma once

#include <optional>
#include <vector>

#include "nest.h"
#include "throughput.h"

namespace tileplan {

/// Holds a nest in which one part replaces each lambda (with_part).
struct Branch {
  Nest nest;
  /// This position is the first inside all replaced lambdas and the loops that they size.
  std::size_t kernel_loops = 0;

  bool operator==(const Branch&) const = default;
};

/// Returns the branches of the lambdas before position `limit`, first parts first.
std::vector<Branch> branches_of(const Nest& nest, std::size_t limit);
std::vector<Branch> branches_of(const Nest& nest);

/// Returns the box inside loop `position`, with the largest part of each lambda outside.
Tile largest_box_inside(const Nest& nest, std::size_t position);

constexpr std::uint32_t kAllDims = ~0U;

/// Returns how often the body of loop `last - 1` runs in one iteration of loop `first - 1`. Only
/// loops over a dim of the set `dims` (bit `index(dim)`) count. The parts of a lambda add up.
/// Requires that the parts of lambdas outside `first` are chosen, or size no loop inside.
std::int64_t iterations_of(const Nest& nest, std::size_t first, std::size_t last,
                           std::uint32_t dims);

/// Returns the accumulators of one microkernel call: vectors of the vectorised dim times the base
/// sizes of the other output dims. Requires a base box without dims that a lambda sizes.
RegisterTile register_tile(const Computation& computation, const Nest& nest, int lanes);

/// Counts calls of the microkernel.
struct Calls {
  double calls = 1;
  double steps = 1;    ///< Each call has so many reduction steps.
  double resumed = 0;  ///< These calls continue a split reduction from the output.
};

/// Counts reduction loops directly around the register tile as steps, all other trips as calls.
Calls calls_of(const Computation& computation, const Branch& branch);

/// Returns the outermost of the reduction loops directly around the register tile, which one
/// microkernel call runs. Loops of one trip next to them belong to them.
std::size_t reduction_band(const Computation& computation, const Nest& nest);

/// Returns the number of loops outside the outermost box that equals `box`, if any.
std::optional<std::size_t> loops_outside_equal(const Nest& nest, const Tile& box);

/// Returns the number of loops outside the outermost box that `cut` covers.
std::size_t loops_outside(const Computation& computation, const Nest& nest, const Tile& cut);

}  // namespace tileplan
