// SPDX-License-Identifier: Apache-2.0
// This file turns a schedule into loops with numeric sizes for the models and the code generator. A
// lambda is a loop such as L(d,[2*11,1*12]), whose blocks have several sizes (docs/concepts.md).
#pragma once

#include <optional>
#include <vector>

#include "computation.h"

namespace tileplan {

/// Describes a loop outside the register tile. If `parts` is not empty, the loop is a list of
/// blocks whose sizes may differ, L(d,[...]) or P(d,[...]) in schedules, called a lambda. `trips`
/// is 0 for a lambda, and for an R(d) whose trips depend on the part of the lambda around it.
struct NestLoop {
  Dim dim{};
  std::int64_t trips = 1;
  /// Lists the blocks. Sizes count iterations of `dim`, including all lanes of a vector.
  std::vector<Part> parts = {};
  bool parallel = false;

  bool is_lambda() const { return !parts.empty(); }
  /// Returns the trips of the loop, summed over the parts of a lambda.
  std::int64_t blocks() const;
  bool is_active() const { return trips != 1; }
  bool operator==(const NestLoop&) const = default;
};

/// Holds the loops outside the register tile, outermost first, and the sizes of the register tile,
/// `base`. A size of 0 means that a lambda sets the size: each part of the lambda has a size of its
/// own.
struct Nest {
  std::vector<NestLoop> loops;
  Tile base{};
  Dim vectorised{};  ///< Names the dimension along which vectors lie (V in schedules).

  bool operator==(const Nest&) const = default;
};

/// Holds the marks of a schedule. For a given computation, machine and rules, a nest and its marks
/// determine the prediction. The conversion from Schedule is implicit so that functions that read
/// marks alone accept schedules too.
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
  bool widen = false;

  Marks() = default;
  Marks(const Schedule& schedule);

  bool takes_plain_weights() const { return weights_in_place || pack_weights.has_value(); }
};

Schedule with_marks(std::vector<Specifier> loops, const Marks& marks);

/// Returns the nest of `schedule` for vectors of `lanes` elements, with the vectorised extent
/// rounded up to whole vectors. Throws Error with the loop or dimension and the rule when loops do
/// not cover an extent exactly, when a specifier is missing, misplaced, repeated or over an unknown
/// dimension, when a count is below 1, when a block of a lambda is no multiple of the iterations
/// inside it, when V or P is over a summed dimension, or when vectors hold pixels but no dimension
/// occurs in the weights and the output alone. Example: in L(h,[4*14,1*6]), R(h), U(2,h), R has 7
/// trips in four blocks and 3 in the last.
Nest resolve(const Schedule& schedule, const Computation& computation, int lanes);

/// Returns the dimension along which packed weights are split into blocks, one per register tile:
/// the vectorised dimension or, for vectors of pixels, the innermost channel dimension, which must
/// exist.
Dim weights_dim(const Computation& computation, Dim vectorised);

/// Returns the number of channels in a group of packed weights (WeightsOrder), which the loops from
/// `first` inwards read. Loops over channels that enclose a loop over another batch or channel
/// dimension step over groups, unless that loop is inside a lambda over channels. Requires that a
/// part is chosen for each lambda outside `first`.
std::int64_t weights_group(const Computation& computation, const Nest& nest, std::size_t first = 0);

/// Returns the number of iterations in all blocks of a lambda.
std::int64_t covered(const std::vector<Part>& parts);

/// Returns the box of iterations of the loops from `position` inwards, which is the whole nest for
/// 0 and the register tile for `loops.size()`. The box has all blocks of the lambdas among these
/// loops. A size is 0 when a lambda outside `position` sets it.
Tile box_inside(const Nest& nest, std::size_t position);

/// Returns `nest` with the lambda at position `lambda` replaced by a plain loop over the blocks of
/// `part`. The loop or the size of the register tile that the lambda sets is chosen so that one
/// block has the size of this part.
Nest with_part(const Nest& nest, std::size_t lambda, const Part& part);

/// Returns the reduction dimensions in the order in which kernels loop over unrolled reduction
/// steps, outermost first: the order of the domain, except that the first one is innermost, because
/// most layouts of the input store it contiguously.
std::vector<Dim> unrolled_reductions(const Computation& computation);

/// Returns the extents, with the vectorised extent rounded up to a multiple of `lanes`.
Tile covered_extents(const Computation& computation, Dim vectorised, int lanes);

}  // namespace tileplan
