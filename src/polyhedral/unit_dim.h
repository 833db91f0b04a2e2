// SPDX-License-Identifier: Apache-2.0
// Products without vectors get a dim of one iteration.
#pragma once

#include "product.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `computation` unchanged when vectors along some channel or batch dim are contiguous in
/// the plain tensors. Otherwise adds a first dim of one iteration, which is the last index of the
/// weights and the output. It is a channel, so every product can be computed along it, and vectors
/// of pixels may use it too. It is called u, or u1, u2, ... where that name is taken. Throws
/// Error when there are kMaxDims dims already.
/// Example: a filter of one channel, C[i] += A[i+r] * B[r], becomes C[i,u] += A[i+r] * B[r,u].
Computation add_unit_dim(Computation computation);

/// Returns true when neighbours along `dim` are contiguous in the output in `layout` and, if it has
/// `dim`, in the input.
bool is_contiguous(const Computation& computation, Dim dim, Layout layout);

}  // namespace tileplan
