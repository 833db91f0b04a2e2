// SPDX-License-Identifier: Apache-2.0
// This file resolves the names of a schedule to numbers, on which the models and the code generator
// work.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"

namespace tileplan {

/// Describes a loop above the register tile. It is a lambda when `parts` is not empty. Its trips
/// are 0 when it is a lambda, or an R(d) whose trips depend on the part of the L(d,...) around it.
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

/// Holds the loops above the register tile `base`, outermost first. A dim of the register tile that
/// a lambda sizes is 0 in `base`; each part of the lambda gives its size.
struct Nest {
  std::vector<NestLoop> loops;
  Tile base{};
  Dim vectorised{};  ///< Whole vectors of the dim of V fill registers.

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

/// Resolves `schedule` for a machine with `lanes` elements per vector: R and unsized U get their
/// numbers, V and U form the base box, and the vectorised extent is rounded up to whole vectors.
/// Throws Error when the trips and sizes of a dim do not multiply to its extent (the message names
/// the dim and both numbers), when a block of a lambda is not whole iterations of the loops inside,
/// when a dim is unknown, when V is missing, repeated or not innermost, when U stands outside a
/// loop, and when vectors are of pixels but no dim is in the weights and the output alone. Example:
/// in L(h,[4*14,1*6]), R(h), U(2,h), R has 7 trips in four blocks and 3 in the last.
Nest resolve(const Schedule& schedule, const Computation& computation, int lanes);

/// Returns the dim that tells the packed weights of register tiles apart: the vectorised one or,
/// for vectors of pixels, the innermost channel dim. Requires that there is one.
Dim weights_dim(const Computation& computation, Dim vectorised);

/// Returns the iterations of all blocks of a lambda.
std::int64_t covered(const std::vector<Part>& parts);

/// Returns the box inside loop `position` (0 is outermost, `loops.size()` the register tile), with
/// the lambdas inside covered whole. A dim that a lambda outside `position` sizes has size 0.
Tile box_inside(const Nest& nest, std::size_t position);

/// Returns `nest` with the lambda at position `lambda` replaced by a plain loop over the blocks of
/// `part`. The loop or base box that the lambda sizes gets the size of this part.
Nest with_part(const Nest& nest, std::size_t lambda, const Part& part);

/// Returns the extents that the loops cover: the vectorised dim is rounded up to `lanes`.
Tile covered_extents(const Computation& computation, Dim vectorised, int lanes);

}  // namespace tileplan
