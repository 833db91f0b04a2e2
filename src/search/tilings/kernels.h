// SPDX-License-Identifier: Apache-2.0
// Microkernels and combinations a1*h1 + a2*h2 that cover a computation exactly.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"
#include "throughput.h"
#include "tileplan/candidate.h"
#include "tileplan/machine.h"

namespace tileplan {

/// The lambda of a combination: `parts` of sizes in iterations of `dim` (lanes included), together
/// `block` of them.
struct Lambda {
  Dim dim{};
  std::vector<Part> parts;
  std::int64_t block = 0;  ///< sum of times * size; divides the covered extent

  bool operator==(const Lambda&) const = default;
};

/// A register tile (or two in sequence) with the box of iterations that one reduction step covers.
struct KernelCombo {
  Tile base{};  ///< sizes of one call; of the lambda's dim: the block
  std::optional<Lambda> lambda;
  std::optional<Lambda> across;  ///< of another dim: each of its sizes with each of the first's
  Dim vectorised{};              ///< the dim that fills vector registers
  double compute_seconds = 0;    ///< of the whole computation when reductions are never split

  bool operator==(const KernelCombo&) const = default;
};

/// The lambda of `dim`; null where `kernels` has one size along it.
const Lambda* lambda_of(const KernelCombo& kernels, Dim dim);

/// Cycles of all calls that cover `KernelCombo::base` once: one call, or those of the lambda's
/// parts.
struct BaseCycles {
  double call = 0;    ///< whatever the number of reduction steps
  double resume = 0;  ///< more when the calls continue a split reduction
  double step = 0;    ///< per reduction step
};

/// a1*h1 + a2*h2 = extent with h1 < h2 out of `sizes` (ascending), all of them, ordered by h1, h2,
/// a1. a1, a2 >= 1. Example: 34 out of 8..15 has six, 2*11 + 1*12 among them.
std::vector<std::vector<Part>> exact_covers(std::int64_t extent,
                                            const std::vector<std::int64_t>& sizes);

/// The dim that vectors of `lanes` elements run along: of the channel and batch dims whose
/// neighbours are neighbours in memory wherever the input and the output have them, the one that
/// fills the most lanes, channels first, innermost first. Without one the innermost channel dim,
/// batch dim, or dim of the output, in this order.
Dim vectorised_dim(const Computation& computation, int lanes);

/// The dims that the search vectorises: `vectorised_dim`, and the pixel dim, if there is one of
/// more than one iteration, whose neighbours are neighbours in the output, in nchw where the
/// problem has layouts. Vectors of pixels need a channel dim beside.
std::vector<Dim> vectorised_dims(const Computation& computation, int lanes);

/// The register tile of one call of `kernels`; `size` is that of the lambda's dim in this part.
RegisterTile register_tile(const Computation& computation, const KernelCombo& kernels, int lanes,
                           std::int64_t size = 0);

/// Cycles of `kernels` on `machine`, measured or bounded (kernel_rate). Requires: at most one
/// lambda.
BaseCycles base_cycles(const Computation& computation, const KernelCombo& kernels,
                       const Machine& machine);

/// Kernels and combinations for `computation` that vectorise `vectorised`, fastest compute first,
/// at most `keep`. Never empty: when nothing of the fast class covers it, what covers it with the
/// smallest loss. Register tiles span the last two pixel dims of extent above 1 and the vectorised
/// dim; with vectors of pixels, the innermost channel dim and the last other pixel dim. The best of
/// each number of vectors, then of each number of rows, come in first. Requires keep >= 1.
std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep, Dim vectorised);

/// The same of `vectorised_dim`.
std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep);

/// A few fast combinations of two sizes along one or two dims that compute in less than
/// `seconds`. Their blocks are the whole extents, so that exact_search has nothing to do for them.
std::vector<KernelCombo> grid_combos(const Computation& computation, const Machine& machine,
                                     double seconds, Dim vectorised);

/// Every kernel and combination that covers a computation and vectorises one dim: how many, and
/// those whose compute time alone is below a limit.
struct KernelSpace {
  std::int64_t all = 0;
  /// Fastest first. Of each base box the fastest: the others move the same data in more time.
  std::vector<KernelCombo> below;
};
KernelSpace kernels_below(const Computation& computation, const Machine& machine, double seconds,
                          Dim vectorised);

/// Kernels and combinations whose calls alone may take less than `seconds` on all cores of
/// `machine`: whole register tiles dealt out as evenly as they can be. Fastest first, at most
/// `keep`, of each base box one per
/// direction of its lambda; their compute_seconds are those of the busiest core. Example: on 16
/// cores 24 rows are faster in 12 tiles of 2 than in 2 of 12, which leave 14 cores idle.
std::vector<KernelCombo> dealt_below(const Computation& computation, const Machine& machine,
                                     double seconds, Dim vectorised, std::size_t keep);

}  // namespace tileplan
