// SPDX-License-Identifier: Apache-2.0
// This file chooses the dimension that vectors lie along, and lists microkernels and combinations
// of two or four of them that cover a computation exactly.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"
#include "throughput.h"
#include "tileplan/machine.h"

namespace tileplan {

/// Holds two tile sizes that are used one after the other along `dim`, in iterations. Schedules
/// write them as a list of blocks, L(d,[...]).
struct Lambda {
  Dim dim{};
  std::vector<Part> parts;
  std::int64_t block = 0;  ///< Is the sum of times * size. It divides the covered extent.

  bool operator==(const Lambda&) const = default;
};

/// Describes register tiles that run one after another (a combination of microkernels). Each tile
/// is given by the iterations that it executes in one reduction step.
struct KernelCombo {
  /// Holds the sizes of one call and, along the dimension of a lambda, the block of both sizes
  /// together.
  Tile base{};
  std::optional<Lambda> lambda = {};
  /// Holds two sizes along another dimension. Each of them is combined with each size of `lambda`.
  std::optional<Lambda> second_split = {};
  Dim vectorised{};            ///< Is the dimension that fills vector registers.
  double compute_seconds = 0;  ///< Gives the time of all calls when no reduction is split.

  bool operator==(const KernelCombo&) const = default;
};

/// Returns a pointer to the two sizes of `kernels` along `dim`, or null if `kernels` has one size
/// along it.
const Lambda* lambda_of(const KernelCombo& kernels, Dim dim);

/// Returns the dimension along which vectors of `lanes` elements lie: the channel or batch
/// dimension that fills most lanes, out of those whose neighbours are contiguous in the input and
/// the output and along which no padding is read. If several fill equally many lanes, channels
/// precede batches, and inner dimensions precede outer dimensions. If there is no such dimension,
/// the result is the innermost channel dimension, batch dimension, or dimension of the output, in
/// this order. Requires that the output depends on a loop.
Dim vectorised_dim(const Computation& computation, int lanes);

/// Returns the dimensions that the search vectorises: `vectorised_dim` and, if there is a channel
/// dimension, the pixel dimension whose neighbours are contiguous in the output (in nchw, where the
/// problem has layouts). A pixel dimension of extent 1 counts only if `vectorised_dim` does not
/// fill a vector, because the weights need less room without empty lanes. Inputs that are copied,
/// read as strips, or widened in registers have no vectors of pixels, because their channels are
/// innermost.
std::vector<Dim> vectorised_dims(const Computation& computation, int lanes);

/// Returns the register tile of one call of `kernels`, with `size` along the dimensions that have
/// two sizes. If no dimension has two sizes, `size` is ignored.
RegisterTile register_tile(const Computation& computation, const KernelCombo& kernels, int lanes,
                           std::int64_t size = 0);

/// Returns the measured or bounded cycles (kernel_rate) of all calls that cover `KernelCombo::base`
/// once. Requires that `second_split` is empty.
CallCycles base_cycles(const Computation& computation, const KernelCombo& kernels,
                       const Machine& machine);

/// Returns at most `keep` kernels and combinations, fastest compute first, that vectorise
/// `vectorised` or by default `vectorised_dim`. The list is never empty: when no fast tile covers
/// the computation, slower ones do. Register tiles span the vectorised dimension and the last three
/// pixel dimensions of extent above 1 or, with vectors of pixels, the innermost channel dimension
/// and the last two other pixel dimensions. Up to half of the list, rounded up, is reserved for the
/// fastest of each number of vectors, then of each split direction with each number of vectors and
/// rows. Requires keep >= 1.
std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep, std::optional<Dim> vectorised = std::nullopt);

/// Returns a few fast combinations of two sizes along one or two dimensions that compute in less
/// than `seconds`. These combinations span the whole extents of these dimensions. exact_search()
/// does not search them.
std::vector<KernelCombo> mixed_combos(const Computation& computation, const Machine& machine,
                                      double seconds, Dim vectorised);

/// Counts the boxes KernelCombo::base that cover all outputs, and those along all reductions.
struct BaseTrips {
  double outputs = 1, steps = 1;
};
BaseTrips trips_of(const Computation& computation, const KernelCombo& kernels, const Tile& extents);

/// Returns the time of the busiest core over the time of all calls of `kernels`, when each core of
/// `machine` makes as many adjacent calls as the others, or one less. With lists of blocks along
/// two dimensions, all calls count as equally long.
double busiest_share(const Computation& computation, const KernelCombo& kernels,
                     const Machine& machine);

/// Counts the kernels and combinations of register_tilings() that cover a computation and vectorise
/// one dimension, and holds those whose compute time is below a limit. Combinations of two sizes
/// count only if the innermost cache holds two of their blocks. Kernels and combinations count only
/// if instructions can address all elements of KernelCombo::base.
struct KernelSpace {
  std::int64_t all = 0;
  /// Lists the kernels, fastest first. Kernels with equal base boxes load the same data, so only
  /// the fastest of them is kept.
  std::vector<KernelCombo> below;
};
/// Returns the kernels that vectorise `vectorised`. `KernelSpace::below` has those whose calls take
/// less than `seconds` on one core.
KernelSpace kernels_below(const Computation& computation, const Machine& machine, double seconds,
                          Dim vectorised);

/// Selects the register tilings that balanced_kernels_below() returns.
struct TilingLimits {
  double seconds = 0;    ///< Calls must take less time on the busiest core.
  std::size_t keep = 1;  ///< The list has at most this many tilings.
  /// If true, a block of two sizes is listed once for each larger size, and otherwise only with its
  /// fastest sizes.
  bool every_size = false;
};

/// Returns the kernels and combinations whose calls may take less than `limits.seconds` when whole
/// register tiles are shared evenly among the cores of `machine`, fastest first. Their
/// `compute_seconds` is the time of the busiest core. Example: on 16 cores, 24 rows are faster in
/// 12 tiles of 2 than in 2 tiles of 12, which leave 14 cores idle.
std::vector<KernelCombo> balanced_kernels_below(const Computation& computation,
                                                const Machine& machine, const TilingLimits& limits,
                                                Dim vectorised);

}  // namespace tileplan
