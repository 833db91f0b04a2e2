// SPDX-License-Identifier: Apache-2.0
// Makes BLAS libraries peers of the study `smallgemm`.
#pragma once

#include <functional>
#include <span>

#include "tileplan/problem.h"

namespace tileplan {

/// Holds row-major matrices without gaps between their rows.
struct GemmOperands {
  std::span<const float> a, b;
  std::span<float> c;
};

/// Multiplies matrices on one thread with another library.
struct GemmPeer {
  std::string name;          ///< It has no comma.
  std::string version = {};  ///< It names the kernels for this CPU too: "0.3.21 SkylakeX".
  std::string timed = "the product, and packing A and B";  ///< Its time includes this work.
  std::string missing = {};  ///< It says why the library cannot be used, or is empty.
  /// Returns a callable that computes C = A B. Throws Error when the library refuses `shape`.
  std::function<std::function<void()>(const GemmShape& shape, const GemmOperands& operands)> bind =
      {};
};

/// Returns OpenBLAS, BLIS and LIBXSMM on one thread. The first two are loaded here, because both
/// define the names of BLAS and one starts threads when it is loaded. OPENBLAS_CORETYPE and
/// BLIS_ARCH_TYPE in the environment choose their kernels for a CPU that they do not know.
std::vector<GemmPeer> gemm_peers();

}  // namespace tileplan
