// SPDX-License-Identifier: Apache-2.0
// These bounds hold for the loads of every schedule: models/README.md eq. (LB1), (LB2).
#pragma once

#include <optional>

#include "computation.h"

namespace tileplan {

struct LowerBound {
  double lb1 = 0;         ///< It is 2V/sqrt(tau S) - 2S, at least 0.
  double lb2 = 0;         ///< It is the sharper bound by segments.
  double compulsory = 0;  ///< It counts every touched element once, padding included.
  double bound = 0;       ///< It is the largest of the three.
  double bytes = 0;       ///< It counts compulsory elements, or a unit per element of `bound`.
};

/// Returns bounds on the elements loaded into a fast memory of `capacity` units
/// (Computation::unit_bytes) when outputs are accumulated in place: (LB1), (LB2). They hold for any
/// stride, dilation, groups and batch. Where the proof does not cover the accesses (see
/// `sliding_reuse`), lb1 and lb2 are 0. The proof does not tell which tensors the loads belong to,
/// so in bytes each of them counts as a unit. Requires capacity >= 1.
LowerBound lower_bound(const Computation& computation, double capacity);

/// Returns tau, the multiply-adds that sliding windows allow per set that would allow one in a
/// matrix product: the product over data dims `a*x + b*y` (x in the output, y reduced) of
/// ceil(extent(y) / (a / gcd(a, b))), or 1 without any. Returns nothing when some dim occurs in one
/// tensor only, an index combines other dims than one output and one reduction dim, or the same dim
/// slides twice. Example: a 3x3 convolution gives 9 with stride 1 and 4 with stride 2.
std::optional<double> sliding_reuse(const Computation& computation);

}  // namespace tileplan
