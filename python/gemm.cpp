// SPDX-License-Identifier: Apache-2.0
// This file binds gemm.h to Python. Transposed views of arrays are read in place.
#include "tileplan/gemm.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings.h"
#include "structs.h"
#include "tileplan/elements.h"
#include "tileplan/error.h"

namespace tileplan::python {
namespace nb = nanobind;
namespace {

using Array = nb::ndarray<nb::ro, nb::device::cpu>;
using WritableArray = nb::ndarray<nb::device::cpu>;

/// Describes a matrix, or a batch of matrices, in the memory of an array.
struct MatrixView {
  std::int64_t batch = 1, rows = 0, columns = 0;
  std::int64_t leading = 1, stride = 0;
  bool transposed = false;  ///< If true, the columns are contiguous instead of the rows.
};

/// Describes `array`, whose rows or columns must be contiguous. Throws Error when neither are, when
/// they overlap or are reversed, or when the array has other than 2 or 3 dimensions.
template <class AnyArray>
MatrixView view_of(const std::string& name, const AnyArray& array) {
  const std::size_t dims = array.ndim();
  if (dims != 2 && dims != 3)
    throw Error(name + " has " + std::to_string(dims) +
                " dimensions; must have 2, or 3 for a batch of matrices");
  const auto extent = [&](std::size_t d) { return static_cast<std::int64_t>(array.shape(d)); };
  MatrixView view{.rows = extent(dims - 2), .columns = extent(dims - 1)};
  std::int64_t down = array.stride(dims - 2), right = array.stride(dims - 1);
  // A dimension of one element may have any stride.
  if (view.columns <= 1 && (view.rows <= 1 || down != 1)) right = 1;
  view.transposed = right != 1;
  if (view.transposed && view.rows <= 1) down = 1;
  if (view.transposed && down != 1)
    throw Error(name + " has strides of " + std::to_string(down) + " and " + std::to_string(right) +
                " elements; must be contiguous along rows or columns");
  const std::int64_t row = view.transposed ? view.rows : view.columns;
  const std::int64_t count = view.transposed ? view.columns : view.rows;
  view.leading = view.transposed ? right : down;
  if (count <= 1) view.leading = row;
  if (row > 0 && view.leading < row)
    throw Error(name + " has rows that overlap or are reversed; must be contiguous along rows or " +
                "columns, in ascending order");
  view.leading = std::max<std::int64_t>(view.leading, 1);
  if (dims == 3) {
    view.batch = extent(0);
    view.stride = view.batch > 1 ? array.stride(0) : count * view.leading;
  }
  return view;
}

void require_equal(const char* what, std::int64_t a, std::int64_t b) {
  if (a != b)
    throw Error(std::string("gemm: ") + what + " are " + std::to_string(a) + " and " +
                std::to_string(b) + "; must be equal");
}

struct Call {
  const Array &a, &b;
  const WritableArray& c;
  double alpha = 1, beta = 0;
  int threads = 1;
};

template <class Number>
void run(const Call& given) {
  const MatrixView a = view_of("a", given.a), b = view_of("b", given.b), c = view_of("c", given.c);
  require_equal("columns of a and rows of b", a.columns, b.rows);
  require_equal("rows of a and of c", a.rows, c.rows);
  require_equal("columns of b and of c", b.columns, c.columns);
  if (a.batch > 1) require_equal("batches of a and of c", a.batch, c.batch);
  if (b.batch > 1) require_equal("batches of b and of c", b.batch, c.batch);
  // If the columns of the output are contiguous, all matrices are passed in column-major order.
  const bool by_rows = !c.transposed;
  const auto form = [&](const MatrixView& view) {
    return view.transposed == by_rows ? Transpose::yes : Transpose::no;
  };
  const GemmCall<Number> call{
      .layout = by_rows ? MatrixLayout::row_major : MatrixLayout::column_major,
      .transa = form(a),
      .transb = form(b),
      .m = c.rows,
      .n = c.columns,
      .k = a.columns,
      .alpha = static_cast<Number>(given.alpha),
      .beta = static_cast<Number>(given.beta),
      .lda = a.leading,
      .ldb = b.leading,
      .ldc = c.leading,
      .batch = c.batch,
      .stride_a = a.batch == 1 ? 0 : a.stride,
      .stride_b = b.batch == 1 ? 0 : b.stride,
      .stride_c = c.stride,
      .threads = given.threads};
  const auto* const left = static_cast<const Number*>(given.a.data());
  const auto* const right = static_cast<const Number*>(given.b.data());
  auto* const output = static_cast<Number*>(given.c.data());
  const nb::gil_scoped_release release;
  gemm(call, left, right, output);
}

// Each parameter is one argument in Python. NOLINTNEXTLINE(readability-function-size)
void call_gemm(const Array& a, const Array& b, const WritableArray& c, double alpha, double beta,
               int threads) {
  if (a.dtype() != b.dtype() || a.dtype() != c.dtype())
    throw Error("gemm: a, b and c have different types; must have one type");
  const Call call{a, b, c, alpha, beta, threads};
  if (a.dtype() == nb::dtype<float>()) return run<float>(call);
  if (a.dtype() == nb::dtype<double>()) return run<double>(call);
  throw Error("gemm: the arrays are not of float32 or float64; must be");
}

}  // namespace

void bind_gemm_call(nb::module_& module) {
  module.def("gemm_into", &call_gemm, nb::arg("a"), nb::arg("b"), nb::arg("c"), nb::arg("alpha"),
             nb::arg("beta"), nb::arg("threads"), "Compute c = alpha * a @ b + beta * c in c.");
  bind_struct<&GemmCacheCounts::compiled, &GemmCacheCounts::found, &GemmCacheCounts::held>(
      module, "What the cache of gemm() did.");
  module.def("gemm_cache_counts", &gemm_cache_counts, "Return how many kernels gemm() compiled.");
  module.def("clear_gemm_cache", &clear_gemm_cache, "Free the kernels of gemm().");
}

}  // namespace tileplan::python
