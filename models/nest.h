// SPDX-License-Identifier: Apache-2.0
// A schedule resolved against a computation: numbers instead of names, ready for the models and the
// code generator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "computation.h"
#include "dims.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// A loop above the register tile: `trips` steps, or a lambda when `parts` is not empty (sizes in
/// iterations of `dim`, vector lanes included). 0 trips: a lambda, or a loop whose trips the parts
/// of the lambda of its dim around it give, R(d) inside L(d,...).
struct NestLoop {
  Dim dim{};
  std::int64_t trips = 1;
  std::vector<Part> parts;
  bool parallel = false;

  bool is_lambda() const { return !parts.empty(); }
  /// Trips, or those of all parts.
  std::int64_t blocks() const;
  bool is_active() const { return trips != 1; }
  bool operator==(const NestLoop&) const = default;
};

/// Loops outermost first above the register tile `base`. Where a lambda sizes the register tile,
/// `base` of its dim is 0 and each part gives it.
struct Nest {
  std::vector<NestLoop> loops;
  Tile base{};
  Dim vectorised{};  ///< the dim of V: whole vectors of it fill registers

  bool operator==(const Nest&) const = default;
};

/// `schedule` for `computation` on a machine with `lanes` elements per vector: R and unsized U are
/// given their numbers, V and U form the base box. The vectorised extent counts as rounded up to
/// whole vectors. A lambda sizes either the U or the R of its dim inside it. Throws Error when the
/// product over a dim differs from its extent, naming the dim and both numbers; when a block of a
/// lambda is not whole turns of what is inside; when a dim is unknown; when V is missing, not
/// innermost or twice; when U stands outside a loop; when vectors are of pixels and no dim is in
/// the weights and the output alone. Example: 62 rows as L(h,[4*14,1*6]), R(h), U(2,h): R has 7
/// trips in four blocks, 3 in the last.
Nest resolve(const Schedule& schedule, const Computation& computation, int lanes);

/// The dim whose blocks the packed weights have, and which tells the weights of a register tile
/// apart: the vectorised one, or, when vectors are of pixels, the innermost channel dim. Requires
/// that there is one, as `resolve` does.
Dim weights_dim(const Computation& computation, Dim vectorised);

/// Iterations of all blocks of a lambda.
std::int64_t covered(const std::vector<Part>& parts);

/// The box inside loop `position` (0 = outermost; `loops.size()`: the register tile) of `nest`:
/// base sizes times the trips of the loops inside, lambdas inside covered whole. A dim that a
/// lambda outside `position` sizes inside it has size 0.
Tile box_inside(const Nest& nest, std::size_t position);

/// `nest` with the lambda at position `lambda` replaced by a plain loop over the blocks of `part`,
/// and what the lambda sizes in its place: the trips of the loop inside or the base box.
Nest with_part(const Nest& nest, std::size_t lambda, const Part& part);

/// Extents of `computation` as the loops cover them: the vectorised dim rounded up to `lanes`.
Tile covered_extents(const Computation& computation, Dim vectorised, int lanes);

}  // namespace tileplan
