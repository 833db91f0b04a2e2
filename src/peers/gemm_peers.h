// SPDX-License-Identifier: Apache-2.0
// This file declares the libraries for matrix products with which `bench` and studies compare.
#pragma once

#include <functional>
#include <span>

#include "tileplan/problem.h"

namespace tileplan {

/// Refers to the caller's matrices of a GemmShape.
struct GemmOperands {
  std::span<const float> a, b;
  std::span<float> c;
};

/// Multiplies matrices on one thread with another library.
struct GemmPeer {
  std::string name;  ///< The name contains no comma.
  /// Gives the version and, except for MKL, the kernels for this CPU, e.g. "0.3.21 SkylakeX".
  std::string version = {};
  /// Tells which work the measured time includes.
  std::string timed = "the product, and packing A and B";
  std::string missing = {};  ///< If not empty, this tells why the library cannot be used.
  /// Returns a function that computes C = A B for `shape`. The matrices must outlive the function.
  /// Throws Error for a batch of products, and when the library refuses `shape`.
  std::function<std::function<void()>(const GemmShape& shape, const GemmOperands& operands)> bind =
      {};
};

/// Returns OpenBLAS, BLIS and LIBXSMM, each on one thread. OpenBLAS and BLIS are loaded at run
/// time, because both define the functions of BLAS, and OpenBLAS starts threads when it is loaded.
/// The environment variables OPENBLAS_CORETYPE and BLIS_ARCH_TYPE select kernels on CPUs that
/// these libraries do not know.
std::vector<GemmPeer> gemm_peers();

/// Returns the library that `name` asks for: openblas, blis, or mkl:FILE with the path of
/// libmkl_rt.so. If the library cannot be loaded, GemmPeer::missing tells why. Throws Error for
/// other names.
GemmPeer gemm_peer(const std::string& name);

/// Returns `name` without the path: "mkl" for "mkl:FILE".
std::string library_of(const std::string& name);

}  // namespace tileplan
