// SPDX-License-Identifier: Apache-2.0
// Makes BLAS libraries peers of the study `smallgemm`.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "tileplan/problem.h"

namespace tileplan {

/// Row-major matrices without gaps.
struct GemmOperands {
  std::span<const float> a, b;
  std::span<float> c;
};

/// Another library that multiplies matrices, on one thread.
struct GemmPeer {
  std::string name;          ///< "OpenBLAS", no comma
  std::string version = {};  ///< with the kernels that it chose for this CPU: "0.3.21 SkylakeX"
  std::string missing = {};  ///< why it cannot be used; empty: it can
  /// A callable that computes C = A B, valid as long as the operands. Throws Error when the library
  /// refuses `shape`.
  std::function<std::function<void()>(const GemmShape& shape, const GemmOperands& operands)> bind =
      {};
};

/// Returns OpenBLAS, BLIS and LIBXSMM, each on one thread; those that were not there when tileplan
/// was configured say what to install. OpenBLAS and BLIS are loaded here, not with the program:
/// both define the names of BLAS, and one of them starts threads when it is loaded. They stay
/// loaded. Which kernels they chose stands in their versions: a library that is older than the CPU
/// may fall back to code for a much older one; OPENBLAS_CORETYPE and BLIS_ARCH_TYPE in the
/// environment choose for it. A slow fallback disturbs measurements too (docs/experiments.md).
std::vector<GemmPeer> gemm_peers();

}  // namespace tileplan
