// SPDX-License-Identifier: Apache-2.0
// gemm() computes matrix products as BLAS does, with kernels that are planned on their first use.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tileplan/visibility.h"

namespace TILEPLAN_PUBLIC tileplan {

/// Tells whether the rows or the columns of all three matrices are contiguous.
enum class MatrixLayout { row_major, column_major };
enum class Transpose { no, yes };

/// Holds the sizes and the form of C = alpha * op(A) * op(B) + beta * C, where op(A) is m x k and
/// op(B) is k x n.
template <class Number>
struct GemmCall {
  MatrixLayout layout = MatrixLayout::row_major;
  Transpose transa = Transpose::no, transb = Transpose::no;
  std::int64_t m = 0, n = 0, k = 0;
  Number alpha = 1, beta = 0;
  /// Give the distances between the starts of consecutive rows (columns if column-major), in
  /// elements.
  std::int64_t lda = 1, ldb = 1, ldc = 1;
  /// Sets the number of products. Consecutive matrices begin `stride_a`, `stride_b` and `stride_c`
  /// elements apart. Matrices of A or of B may overlap, and with a stride of 0 all products read
  /// one matrix A or B, but not both. Matrices of C must not overlap (GemmShape::sc).
  std::int64_t batch = 1;
  std::int64_t stride_a = 0, stride_b = 0, stride_c = 0;
  /// Sets the number of threads that share the work, at most Machine::cores.
  int threads = 1;
};

/// Computes the products that `call` describes. If m, n or batch is 0, nothing happens. If k or
/// alpha is 0, C becomes beta * C, and A and B are not read. If beta is 0, C is not read. Where A
/// and B are read, the order of operations is that of Epilogue.
///
/// The first call of a shape plans and compiles a kernel for this CPU, which takes some tenths of a
/// second; plan() never measures here. A shape consists of all members of `call` except alpha and
/// beta. Of these, a kernel depends only on whether alpha is 1 and whether beta is 0, 1 or another
/// number. A cache holds the last kGemmKernels kernels that were used. Several threads may call
/// these functions at once. If they ask for one new kernel, one of them compiles it and the others
/// wait. Each call that reads A and B packs B, or A if column-major, into memory that the calling
/// thread keeps for its next call (release_gemm_memory()).
///
/// Throws Error with the value and the rule for sizes below 0, for leading dimensions and distances
/// that GemmShape refuses, for factors that are not finite, and for matrices that are null although
/// they are read or written. Throws Error too where detect_machine() and plan() do, as for too many
/// threads.
void gemm(const GemmCall<float>& call, const float* a, const float* b, float* c);
void gemm(const GemmCall<double>& call, const double* a, const double* b, double* c);

/// Compute one product on one thread. The arguments are those of cblas_sgemm() and cblas_dgemm().
void gemm(MatrixLayout layout, Transpose transa, Transpose transb, std::int64_t m, std::int64_t n,
          std::int64_t k, float alpha, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float beta, float* c, std::int64_t ldc);
void gemm(MatrixLayout layout, Transpose transa, Transpose transb, std::int64_t m, std::int64_t n,
          std::int64_t k, double alpha, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double beta, double* c, std::int64_t ldc);

constexpr std::size_t kGemmKernels = 128;

/// Counts the uses of gemm()'s cache of kernels since the process started.
struct GemmCacheCounts {
  std::size_t compiled = 0;  ///< Counts the kernels whose compilation began.
  /// Counts the calls that found their kernel or waited for another thread to compile it.
  std::size_t found = 0;
  std::size_t held = 0;  ///< Counts the kernels that the cache holds now.
};

GemmCacheCounts gemm_cache_counts();

/// Empties gemm()'s cache of kernels. Kernels in use are freed when their calls end.
void clear_gemm_cache();

/// Frees the memory in which the calling thread packs B or A.
void release_gemm_memory();

}  // namespace tileplan
