// SPDX-License-Identifier: Apache-2.0
// These bounds hold for the loads of every schedule: models/README.md eq. (LB1), (LB2).
#pragma once

#include <optional>

#include "computation.h"
#include "tileplan/movement.h"

namespace tileplan {

/// Returns lower bounds on the number of elements that any schedule loads into a fast memory of
/// `capacity` units (Computation::unit_bytes): eq. (LB1) and (LB2), the elements of all tensors
/// with their padding, and the largest of the three. Outputs are accumulated in place. When
/// `sliding_reuse` returns nothing, lb1 and lb2 are 0. `bytes` is at least the size of all tensors.
/// It counts each element of the largest bound as one unit, because the proof does not tell which
/// tensor an element belongs to. Requires capacity >= 1.
LowerBound lower_bound(const Computation& computation, double capacity);

/// Returns tau, the number of filter taps that may touch the same element. An index of a tensor
/// that combines two dimensions must be a window `a*x + b*y` with x in the output and y reduced.
/// tau is the product over all windows of the smaller of ceil(extent(y) / (a / gcd(a, b))) and
/// ceil(extent(x) / (b / gcd(a, b))), or 1 without windows. Dimensions of extent 1 are ignored.
/// Returns nothing when a dimension occurs in fewer than two tensors, when an index combines other
/// dimensions than those of a window, or when a dimension occurs in two windows. Example: a 3x3
/// convolution gives 9 with stride 1 and 4 with stride 2.
std::optional<double> sliding_reuse(const Computation& computation);

}  // namespace tileplan
