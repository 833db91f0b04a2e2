// SPDX-License-Identifier: Apache-2.0
// A dim of one iteration for products without vectors.
#pragma once

#include "computation.h"

namespace tileplan {

/// `computation`, with one more dim where vectors along none of its dims are of weights and
/// contiguous in the plain tensors. The new dim comes first, has one iteration, and is the last
/// index of the weights and the output: a channel, beside which vectors of pixels may run, and
/// along which every product can be computed. It is called u, or u1, u2, ... where there is a u.
/// Throws Error when there are kMaxDims dims already.
/// Example: a filter of one channel, C[i] += A[i+r] * B[r], becomes C[i,u] += A[i+r] * B[r,u].
Computation with_vectors(Computation computation);

}  // namespace tileplan
