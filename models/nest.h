// SPDX-License-Identifier: Apache-2.0
// This file turns a schedule into loops with numeric trips and sizes, which the models and the code
// generator read.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"

namespace tileplan {

/// Describes a loop above the register tile. The loop is a lambda when `parts` is not empty.
/// `trips` is 0 for a lambda, and for an R(d) whose trips depend on the part of the L(d,...) around
/// it.
struct NestLoop {
  Dim dim{};
  std::int64_t trips = 1;
  std::vector<Part> parts = {};  ///< Sizes count iterations of `dim`, vector lanes included.
  bool parallel = false;

  bool is_lambda() const { return !parts.empty(); }
  /// Returns the trips, summed over the parts of a lambda.
  std::int64_t blocks() const;
  bool is_active() const { return trips != 1; }
  bool operator==(const NestLoop&) const = default;
};

/// Holds the loops above the register tile `base`, outermost first. When a lambda sets the size of
/// a dim of the register tile, that dim is 0 in `base`, and each part of the lambda gives a size.
struct Nest {
  std::vector<NestLoop> loops;
  Tile base{};
  Dim vectorised{};  ///< V names this dim, along which vectors lie.

  bool operator==(const Nest&) const = default;
};

/// Holds the marks of a schedule. A nest and its marks determine a prediction. The conversion is
/// implicit so that functions that read marks alone accept schedules too.
struct Marks {
  Layout in = Layout::plain;
  Layout out = Layout::plain;
  std::optional<int> pack_input;
  int prefetch = 0;
  std::optional<int> ahead;
  bool nontemporal = false;
  std::optional<Isa> isa;

  Marks() = default;
  Marks(const Schedule& schedule);
};

/// Returns the schedule of these loops and marks.
Schedule with_marks(std::vector<Specifier> loops, const Marks& marks);

/// Resolves `schedule` for a machine with `lanes` elements per vector: R gets its trips and U
/// without a number its size, V and U form the base box, and the vectorised extent is rounded up to
/// whole vectors. Throws Error when the trips and sizes of a dim do not multiply to its extent (the
/// message names the dim and both numbers), when a block of a lambda is not a whole number of
/// iterations of the loops inside, when a dim is unknown, when V is missing, repeated or not
/// innermost, when U stands outside a loop, and when vectors hold pixels but no dim occurs in the
/// weights and the output alone. Example: in L(h,[4*14,1*6]), R(h), U(2,h), R has 7 trips in four
/// blocks and 3 in the last.
Nest resolve(const Schedule& schedule, const Computation& computation, int lanes);

/// Returns the dim along which packed weights are split into blocks, one per register tile: the
/// vectorised dim or, for vectors of pixels, the innermost channel dim. Requires that such a dim
/// exists.
Dim weights_dim(const Computation& computation, Dim vectorised);

/// Returns the number of iterations in all blocks of a lambda.
std::int64_t covered(const std::vector<Part>& parts);

/// Returns the box inside loop `position` (0 is outermost, `loops.size()` the register tile), with
/// all blocks of the lambdas inside. A dim has size 0 when a lambda outside `position` sets its
/// size.
Tile box_inside(const Nest& nest, std::size_t position);

/// Returns `nest` with the lambda at position `lambda` replaced by a plain loop over the blocks of
/// `part`. The loop or base box whose size the lambda sets gets the size of this part.
Nest with_part(const Nest& nest, std::size_t lambda, const Part& part);

/// Returns the extents that the loops cover: the vectorised dim is rounded up to a multiple of
/// `lanes`.
Tile covered_extents(const Computation& computation, Dim vectorised, int lanes);

}  // namespace tileplan
