// SPDX-License-Identifier: Apache-2.0
// Kernels test at run time whether some indices of the input lie outside the tensor.
#pragma once

#include "product.h"

namespace tileplan {

/// Kernels test at most this many indices of the input. Convolutions and matrix products have no
/// more: those of depth, height and width, and the index along vectors of pixels.
constexpr int kMaxGuards = 4;

/// Returns true when the index `data` can lie in padding or beyond the last pixel.
inline bool is_guarded(const Computation& computation, const DataDim& data, Dim vectorised) {
  return data.clipped ||
         (is_present(data, vectorised) && computation.role(vectorised) == Role::pixel);
}

}  // namespace tileplan
