// SPDX-License-Identifier: Apache-2.0
// Microkernels and combinations a1*h1 + a2*h2 that cover a computation exactly. model.md 6.2.
#pragma once

#include <optional>
#include <vector>

#include "computation.h"
#include "nest.h"
#include "throughput.h"
#include "tileplan/machine.h"
#include "tileplan/prediction.h"

namespace tileplan {

/// The lambda of a combination: `parts` of sizes in iterations of `dim`, together `block` of them.
struct Lambda {
  Dim dim{};
  std::vector<Part> parts;
  std::int64_t block = 0;  ///< sum of times * size; divides the covered extent

  bool operator==(const Lambda&) const = default;
};

/// A register tile (or two in sequence) with the box of iterations that one reduction step covers.
struct KernelCombo {
  Tile base{};                    ///< sizes of one call; of the lambda's dim: the block
  std::optional<Lambda> lambda;
  Dim vectorised{};               ///< the channel dim that fills vector registers
  double compute_seconds = 0;     ///< of the whole computation when reductions are never split

  bool operator==(const KernelCombo&) const = default;
};

/// a1*h1 + a2*h2 = extent with h1 < h2 out of `sizes` (ascending), all of them. a1, a2 >= 1.
std::vector<std::vector<Part>> exact_covers(std::int64_t extent,
                                            const std::vector<std::int64_t>& sizes);

/// Kernels and combinations for `computation`, fastest compute first, at most `keep`. Never empty: when nothing
/// of the fast class fits, the smallest loss that does. Register tiles span the innermost pixel dims and the vectorised channel dim.
std::vector<KernelCombo> kernel_combos(const Computation& computation, const Machine& machine,
                                       int keep);

}  // namespace tileplan
