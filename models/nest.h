// SPDX-License-Identifier: Apache-2.0
// This file turns a schedule into loops with numeric sizes for the models and the code generator. A
// lambda is a loop L(d,[2*11,1*12]), whose blocks have two sizes (docs/concepts.md).
#pragma once

#include <optional>
#include <vector>

#include "computation.h"

namespace tileplan {

/// Describes a loop above the register tile, which is a lambda when `parts` is not empty. `trips`
/// is 0 for a lambda, and for an R(d) whose trips depend on the part of the L(d,...) around it.
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
  std::optional<int> pack_input, pack_weights, pack_output;
  bool weights_in_place = false;
  std::optional<WinogradTiles> winograd;
  int prefetch = 0;
  std::optional<int> ahead;
  bool nontemporal = false;
  std::optional<Isa> isa;

  Marks() = default;
  Marks(const Schedule& schedule);

  bool takes_plain_weights() const { return weights_in_place || pack_weights.has_value(); }
};

Schedule with_marks(std::vector<Specifier> loops, const Marks& marks);

/// Resolves `schedule` for vectors of `lanes` elements and rounds the vectorised extent up to whole
/// vectors. Throws Error with the loop or dim and the rule when loops do not cover an extent
/// exactly, when a specifier is unknown, missing or misplaced, or when vectors hold pixels but no
/// dim occurs in the weights and the output alone. Example: in L(h,[4*14,1*6]), R(h), U(2,h), R has
/// 7 trips in four blocks and 3 in the last.
Nest resolve(const Schedule& schedule, const Computation& computation, int lanes);

/// Returns the dim along which packed weights are split into blocks, one per register tile: the
/// vectorised dim or, for vectors of pixels, the innermost channel dim, which must exist.
Dim weights_dim(const Computation& computation, Dim vectorised);

/// Returns the number of iterations in all blocks of a lambda.
std::int64_t covered(const std::vector<Part>& parts);

/// Returns the box inside loop `position` (0 is outermost, `loops.size()` the register tile), with
/// all blocks of inner lambdas. A dim has size 0 when an outer lambda sets its size.
Tile box_inside(const Nest& nest, std::size_t position);

/// Returns `nest` with the lambda at position `lambda` replaced by a plain loop over the blocks of
/// `part`. The loop or base box whose size the lambda sets gets the size of this part.
Nest with_part(const Nest& nest, std::size_t lambda, const Part& part);

/// Returns the extents, with the vectorised extent rounded up to a multiple of `lanes`.
Tile covered_extents(const Computation& computation, Dim vectorised, int lanes);

}  // namespace tileplan
