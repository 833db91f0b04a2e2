// SPDX-License-Identifier: Apache-2.0
// This file adds a dimension of one iteration to products that have no dimension to vectorise.
#pragma once

#include "product.h"
#include "tileplan/schedule.h"

namespace tileplan {

/// Returns `computation` unchanged when vectors along some channel or batch dimension are
/// contiguous in the plain input and output and read no padding. Otherwise the result has a new
/// first dimension of one iteration, which is the last index of the weights and the output. The new
/// dimension is a channel, so vectors can lie along it in every product, and vectors of pixels find
/// a channel dimension too. Its name is u, or uu, uuu, ... if that name is taken; a digit would
/// read as the size of u. Throws Error when the result would have more than kMaxDims dimensions.
/// Example: a filter of one channel, C[i] += A[i+r] * B[r], becomes C[i,u] += A[i+r] * B[r,u].
Computation add_unit_dim(Computation computation);

/// Returns true when neighbours along `dim` are contiguous in `layout` in both the input and the
/// output. A tensor without `dim` counts as contiguous, and one with blocks along `dim` does not.
/// Throws Error as layout_of() does.
bool is_contiguous(const Computation& computation, Dim dim, Layout layout);

}  // namespace tileplan
