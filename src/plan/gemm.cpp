// SPDX-License-Identifier: Apache-2.0
// Kernels for one shape differ by their threads and by the operations with alpha and beta that they
// need; the numbers themselves are arguments of a run. Kernels that are being compiled are in the
// cache as futures, for which other threads wait.
#include "tileplan/gemm.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "compile.h"
#include "compiled_kernel.h"
#include "shape_rules.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"

namespace tileplan {
namespace {

using SharedKernel = std::shared_ptr<const CompiledKernel>;

/// Stands for each alpha that is not 1 and each beta that is neither 0 nor 1. Kernels for these
/// factors read them from memory.
constexpr double kFromMemory = 2;

/// Identifies a kernel of gemm(). The shape is row-major.
struct KernelKey {
  GemmShape shape = {};
  double alpha = 1;  ///< This factor is 1 or kFromMemory.
  double beta = 0;   ///< This factor is 0, 1 or kFromMemory.
  int threads = 1;

  bool operator==(const KernelKey&) const = default;
};

const Machine& this_machine() {
  static const Machine machine = detect_machine();
  return machine;
}

/// Plans with beta = 0 or 1 and without alpha, so that kernels for other factors share the plan.
SharedKernel compile_for(const KernelKey& key) {
  Plan plan = plan_gemm(
      key.shape, this_machine(),
      {.top = 1, .threads = key.threads, .epilogue = {.beta = key.beta == 0 ? 0.0 : 1.0}});
  plan.options.epilogue = {.alpha = key.alpha, .beta = key.beta};
  return compile_shared(plan);
}

/// Holds the kernels that were used last. They are in a list, because comparing a hundred keys is
/// faster than hashing one.
class KernelCache {
 public:
  SharedKernel find_or_compile(const KernelKey& key) {
    std::promise<SharedKernel> promise;
    if (const auto before = find_or_insert(key, promise)) return before->get();
    try {
      SharedKernel kernel = compile_for(key);
      promise.set_value(kernel);
      return kernel;
    } catch (const std::exception&) {
      promise.set_exception(std::current_exception());
      remove(key);
      throw;
    }
  }

  GemmCacheCounts counts() const {
    const std::lock_guard lock(mutex_);
    return {.compiled = compiled_, .found = found_, .held = entries_.size()};
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
  }

 private:
  struct Entry {
    KernelKey key;
    std::shared_future<SharedKernel> kernel;
  };
  using Entries = std::list<Entry>;

  Entries::iterator place_of(const KernelKey& key) {
    auto at = entries_.begin();
    while (at != entries_.end() && !(at->key == key)) ++at;
    return at;
  }

  /// Returns the kernel of `key` and makes it the most recently used one. If there is no such
  /// kernel, inserts the kernel that `promise` will deliver and returns nothing.
  std::optional<std::shared_future<SharedKernel>> find_or_insert(
      const KernelKey& key, std::promise<SharedKernel>& promise) {
    const std::lock_guard lock(mutex_);
    if (const auto at = place_of(key); at != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, at);
      ++found_;
      return at->kernel;
    }
    entries_.push_front({key, promise.get_future().share()});
    if (entries_.size() > kGemmKernels) entries_.pop_back();
    ++compiled_;
    return std::nullopt;
  }

  void remove(const KernelKey& key) {
    const std::lock_guard lock(mutex_);
    if (const auto at = place_of(key); at != entries_.end()) entries_.erase(at);
  }

  mutable std::mutex mutex_;
  Entries entries_;  ///< Holds the most recently used kernel first.
  std::size_t compiled_ = 0, found_ = 0;
};

KernelCache& cache() {
  // The cache is never destroyed, because destructors of static objects may call gemm().
  static KernelCache& one = *new KernelCache;
  return one;
}

std::optional<Packed>& scratch() {
  static thread_local std::optional<Packed> packed;
  return packed;
}

[[noreturn]] void refuse(const std::string& name, std::int64_t value, const std::string& rule) {
  throw Error("gemm: " + name + " is " + std::to_string(value) + "; must be " + rule);
}

void check_sizes(std::initializer_list<std::pair<const char*, std::int64_t>> sizes) {
  for (const auto& [name, size] : sizes)
    if (size < 0) refuse(name, size, "at least 0");
}

void check_leading(const char* name, std::int64_t value, std::int64_t row) {
  const std::int64_t least = std::max<std::int64_t>(1, row);
  if (value < least) refuse(name, value, "at least " + std::to_string(least));
}

template <class Number>
void check_call(const GemmCall<Number>& call) {
  check_sizes({{"m", call.m},
               {"n", call.n},
               {"k", call.k},
               {"batch", call.batch},
               {"stride_a", call.stride_a},
               {"stride_b", call.stride_b},
               {"stride_c", call.stride_c}});
  const bool by_rows = call.layout == MatrixLayout::row_major;
  const bool a_rows = by_rows == (call.transa == Transpose::no);
  const bool b_rows = by_rows == (call.transb == Transpose::no);
  check_leading("lda", call.lda, a_rows ? call.k : call.m);
  check_leading("ldb", call.ldb, b_rows ? call.n : call.k);
  check_leading("ldc", call.ldc, by_rows ? call.n : call.m);
  if (!std::isfinite(call.alpha) || !std::isfinite(call.beta))
    throw Error("gemm: alpha is " + std::to_string(call.alpha) + " and beta " +
                std::to_string(call.beta) + "; must be finite");
}

void check_matrix(const char* name, const void* matrix) {
  if (matrix == nullptr) throw Error(std::string("gemm: ") + name + " is null; must be a matrix");
}

template <class Number>
struct RowMajor {
  GemmCall<Number> call;
  const Number* a;
  const Number* b;
};

/// Converts a call to a row-major one. Column-major storage of C is row-major storage of its
/// transpose, which is the product of B and A, both transposed.
template <class Number>
RowMajor<Number> row_major(const GemmCall<Number>& call, const Number* a, const Number* b) {
  if (call.layout == MatrixLayout::row_major) return {call, a, b};
  GemmCall<Number> swapped = call;
  swapped.layout = MatrixLayout::row_major;
  std::swap(swapped.m, swapped.n);
  std::swap(swapped.transa, swapped.transb);
  std::swap(swapped.lda, swapped.ldb);
  std::swap(swapped.stride_a, swapped.stride_b);
  return {swapped, b, a};
}

/// Returns the distance between matrices of `rows` rows that are `pitch` elements apart, or none if
/// the matrices follow one another or there is only one. The product of both could overflow.
template <class Number>
std::optional<std::int64_t> distance_of(const GemmCall<Number>& call, std::int64_t stride,
                                        std::int64_t rows, std::int64_t pitch) {
  if (call.batch == 1 || (stride % pitch == 0 && stride / pitch == rows)) return std::nullopt;
  return stride;
}

template <class Number>
GemmShape shape_of(const GemmCall<Number>& call) {
  const bool ta = call.transa == Transpose::yes, tb = call.transb == Transpose::yes;
  return {.b = call.batch,
          .m = call.m,
          .n = call.n,
          .k = call.k,
          .lda = call.lda,
          .ldb = call.ldb,
          .ldc = call.ldc,
          .ta = ta,
          .tb = tb,
          .sa = distance_of(call, call.stride_a, ta ? call.k : call.m, call.lda),
          .sb = distance_of(call, call.stride_b, tb ? call.n : call.k, call.ldb),
          .sc = distance_of(call, call.stride_c, call.m, call.ldc),
          .types = element_type_of<Number>()};
}

/// Throws Error as plan() does for sizes and distances of C that it refuses, such as those of
/// matrices that share elements. A and B are not read, so the smallest ones replace them.
void check_output(GemmShape shape) {
  shape.k = 1;
  shape.lda = shape.ta ? shape.m : 1;
  shape.ldb = shape.tb ? 1 : shape.n;
  shape.sa = shape.sb = std::nullopt;
  check_shape(shape);
}

/// Sets C to beta * C. Requires a row-major call.
template <class Number>
void scale_output(const GemmCall<Number>& call, Number* c) {
  check_output(shape_of(call));
  if (call.beta == 1) return;
  for (std::int64_t product = 0; product < call.batch; ++product)
    for (std::int64_t i = 0; i < call.m; ++i) {
      Number* const row = c + product * call.stride_c + i * call.ldc;
      for (std::int64_t j = 0; j < call.n; ++j) row[j] = call.beta == 0 ? 0 : call.beta * row[j];
    }
}

template <class Number>
void multiply(const RowMajor<Number>& rows, Number* c) {
  const GemmCall<Number>& call = rows.call;
  constexpr ElementType kType = element_type_of<Number>();
  const Factors factors{static_cast<double>(call.alpha), static_cast<double>(call.beta)};
  const bool sets_or_adds = factors.beta == 0 || factors.beta == 1;
  const SharedKernel compiled =
      cache().find_or_compile({.shape = shape_of(call),
                               .alpha = factors.alpha == 1 ? 1 : kFromMemory,
                               .beta = sets_or_adds ? factors.beta : kFromMemory,
                               .threads = call.threads});
  const Kernel kernel(compiled);
  std::optional<Packed>& packed = scratch();
  if (!packed) packed.emplace(0);
  kernel.pack_weights({rows.b, kernel.weights_size(), kType}, *packed);
  const ConstElements input(rows.a, kernel.input_size(), kType);
  const Elements output(c, kernel.output_size(), kType);
  const RunWeights weights(*packed);
  const Addends none;
  check_and_run(kernel, *compiled, {input, weights, output, none, factors}, run_tasks);
}

template <class Number>
void run(const GemmCall<Number>& call, const Number* a, const Number* b, Number* c) {
  check_call(call);
  if (call.m == 0 || call.n == 0 || call.batch == 0) return;
  check_matrix("c", c);
  const RowMajor<Number> rows = row_major(call, a, b);
  if (call.k == 0 || call.alpha == 0) return scale_output(rows.call, c);
  check_matrix("a", a);
  check_matrix("b", b);
  multiply(rows, c);
}

}  // namespace

void gemm(const GemmCall<float>& call, const float* a, const float* b, float* c) {
  run(call, a, b, c);
}

void gemm(const GemmCall<double>& call, const double* a, const double* b, double* c) {
  run(call, a, b, c);
}

// cblas_sgemm() and cblas_dgemm() have this many arguments, so that more than five are allowed
// here. NOLINTBEGIN(readability-function-size)
void gemm(MatrixLayout layout, Transpose transa, Transpose transb, std::int64_t m, std::int64_t n,
          std::int64_t k, float alpha, const float* a, std::int64_t lda, const float* b,
          std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
  run<float>({layout, transa, transb, m, n, k, alpha, beta, lda, ldb, ldc}, a, b, c);
}

void gemm(MatrixLayout layout, Transpose transa, Transpose transb, std::int64_t m, std::int64_t n,
          std::int64_t k, double alpha, const double* a, std::int64_t lda, const double* b,
          std::int64_t ldb, double beta, double* c, std::int64_t ldc) {
  run<double>({layout, transa, transb, m, n, k, alpha, beta, lda, ldb, ldc}, a, b, c);
}
// NOLINTEND(readability-function-size)

GemmCacheCounts gemm_cache_counts() { return cache().counts(); }
void clear_gemm_cache() { cache().clear(); }
void release_gemm_memory() { scratch().reset(); }

}  // namespace tileplan
