// SPDX-License-Identifier: Apache-2.0
// This test compares gemm() with plain loops in guarded memory, and checks its cache and its
// errors.
#include "tileplan/gemm.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "guarded.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "tileplan/machine.h"

using namespace tileplan;

namespace {

using Random = std::mt19937;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// Describes the positions of the elements of one operand in memory: element (row, column) of
/// product b is at b * stride + row * down + column * right.
struct Places {
  std::int64_t rows, columns, down, right, stride, batch;

  std::int64_t at(std::int64_t b, std::int64_t row, std::int64_t column) const {
    return b * stride + row * down + column * right;
  }
  std::size_t size() const {
    return rows == 0 || columns == 0 || batch == 0
               ? 0
               : static_cast<std::size_t>(at(batch - 1, rows - 1, columns - 1) + 1);
  }
};

struct MatrixSize {
  std::int64_t rows, columns;
};

Places places_of(bool by_rows, MatrixSize size, std::int64_t leading, std::int64_t stride,
                 std::int64_t batch) {
  return {size.rows, size.columns, by_rows ? leading : 1, by_rows ? 1 : leading, stride, batch};
}

template <class Number>
struct Matrices {
  Places a, b, c;

  explicit Matrices(const GemmCall<Number>& call) {
    const bool rows = call.layout == MatrixLayout::row_major;
    a = places_of(rows == (call.transa == Transpose::no), {call.m, call.k}, call.lda, call.stride_a,
                  call.batch);
    b = places_of(rows == (call.transb == Transpose::no), {call.k, call.n}, call.ldb, call.stride_b,
                  call.batch);
    c = places_of(rows, {call.m, call.n}, call.ldc, call.stride_c, call.batch);
  }
};

int most_threads() {
  static const int most = std::min(2, detect_machine().cores);
  return most;
}

bool any(Random& random) { return pick(random, 0, 1) == 1; }

std::int64_t random_size(Random& random) {
  return pick(random, 0, 9) == 0 ? 0 : pick(random, 1, 24);
}

/// Draws `usual` in two of three cases, and a multiple of 1/2 in the others.
template <class Number>
Number random_scalar(Random& random, int usual) {
  return static_cast<Number>(pick(random, 0, 2) > 0 ? static_cast<double>(usual)
                                                    : static_cast<double>(pick(random, -6, 6)) / 2);
}

/// Draws a leading dimension, which leaves no gaps in half of the cases.
std::int64_t random_leading(Random& random, bool by_rows, MatrixSize size) {
  return std::max<std::int64_t>(1, by_rows ? size.columns : size.rows) +
         (any(random) ? 0 : pick(random, 1, 5));
}

/// Draws the distance between matrices. In 9 of 16 draws, a matrix begins where the next row (or
/// column) of the previous one would begin.
std::int64_t random_stride(Random& random, bool by_rows, MatrixSize size, std::int64_t leading) {
  return (by_rows ? size.rows : size.columns) * leading + (any(random) ? 0 : pick(random, 0, 7));
}

/// Draws the leading dimensions and the distances between matrices. A or B is shared by all
/// products in some cases.
template <class Number>
void draw_places(Random& random, GemmCall<Number>& call) {
  const bool rows = call.layout == MatrixLayout::row_major;
  const bool a_rows = rows == (call.transa == Transpose::no);
  const bool b_rows = rows == (call.transb == Transpose::no);
  const MatrixSize a{call.m, call.k}, b{call.k, call.n}, c{call.m, call.n};
  call.lda = random_leading(random, a_rows, a);
  call.ldb = random_leading(random, b_rows, b);
  call.ldc = random_leading(random, rows, c);
  call.stride_a = pick(random, 0, 3) == 0 ? 0 : random_stride(random, a_rows, a, call.lda);
  const bool shares_b = call.stride_a > 0 && pick(random, 0, 3) == 0;
  call.stride_b = shares_b ? 0 : random_stride(random, b_rows, b, call.ldb);
  call.stride_c = random_stride(random, rows, c, call.ldc);
}

template <class Number>
GemmCall<Number> random_call(Random& random) {
  const auto transpose = [&] { return any(random) ? Transpose::yes : Transpose::no; };
  GemmCall<Number> call{
      .layout = any(random) ? MatrixLayout::row_major : MatrixLayout::column_major,
      .transa = transpose(),
      .transb = transpose(),
      .m = random_size(random),
      .n = random_size(random),
      .k = random_size(random),
      .alpha = random_scalar<Number>(random, 1),
      .beta = random_scalar<Number>(random, 0),
      .batch = pick(random, 0, 2) > 0 ? 1 : pick(random, 0, 4),
      .threads = static_cast<int>(pick(random, 1, most_threads()))};
  draw_places(random, call);
  return call;
}

template <class Number>
void fill(Random& random, std::span<Number> values) {
  for (Number& value : values) value = static_cast<Number>(pick(random, -64, 64)) / 64;
}

template <class Number>
struct CallOperands {
  std::span<const Number> a, b;
  std::span<Number> c;
};

/// Returns C after `call`, computed by plain loops.
template <class Number>
std::vector<Number> plain_loops(const GemmCall<Number>& call,
                                const CallOperands<Number>& operands) {
  const Matrices<Number> at(call);
  std::vector<Number> result(operands.c.begin(), operands.c.end());
  const auto update = [&](std::int64_t p, std::int64_t i, std::int64_t j) {
    Number sum = 0;
    for (std::int64_t k = 0; k < call.k; ++k)
      sum += operands.a[static_cast<std::size_t>(at.a.at(p, i, k))] *
             operands.b[static_cast<std::size_t>(at.b.at(p, k, j))];
    Number& to = result[static_cast<std::size_t>(at.c.at(p, i, j))];
    to = call.alpha * sum + (call.beta == 0 ? 0 : call.beta * to);
  };
  for (std::int64_t p = 0; p < call.batch; ++p)
    for (std::int64_t i = 0; i < call.m; ++i)
      for (std::int64_t j = 0; j < call.n; ++j) update(p, i, j);
  return result;
}

template <class Number>
std::size_t count_differences(std::span<const Number> got, const std::vector<Number>& expected) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (!(got[i] == expected[i] || (std::isnan(got[i]) && std::isnan(expected[i])))) ++wrong;
  return wrong;
}

/// Runs a random call whose matrices end at inaccessible pages. All numbers are small multiples of
/// 1/8192, so sums are exact.
template <class Number>
void check_random(unsigned seed) {
  CAPTURE(seed);
  Random random(seed);
  const GemmCall<Number> call = random_call<Number>(random);
  const Matrices<Number> at(call);
  const ElementType type = element_type_of<Number>();
  const test::Guarded a(at.a.size(), test::Flush::end, type),
      b(at.b.size(), test::Flush::end, type), c(at.c.size(), test::Flush::end, type);
  fill(random, a.numbers<Number>());
  fill(random, b.numbers<Number>());
  fill(random, c.numbers<Number>());
  const std::span<Number> output = c.numbers<Number>();
  if (call.beta == 0) std::ranges::fill(output, std::numeric_limits<Number>::quiet_NaN());
  const CallOperands<Number> operands{
      .a = a.numbers<Number>(), .b = b.numbers<Number>(), .c = output};
  const std::vector<Number> expected = plain_loops(call, operands);
  gemm(call, operands.a.data(), operands.b.data(), output.data());
  CHECK(count_differences<Number>(output, expected) == 0);
}

std::string complaint(const GemmCall<float>& call) {
  std::vector<float> memory(64);
  try {
    gemm(call, memory.data(), memory.data(), memory.data());
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("gemm: random calls equal plain loops") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    check_random<float>(seed);
    check_random<double>(1000 + seed);
  }
}

TEST_CASE("gemm: the arguments of BLAS, row-major and column-major") {
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{1, 0, 0, 1, 1, 1};
  std::vector<float> c(4, 1);
  // [1 2 3; 4 5 6] times [1 0; 0 1; 1 1] is [4 5; 10 11].
  gemm(MatrixLayout::row_major, Transpose::no, Transpose::no, 2, 2, 3, 2.0F, a.data(), 3, b.data(),
       2, 1.0F, c.data(), 2);
  CHECK(c == std::vector<float>{9, 11, 21, 23});
  // In column-major order, A is [1 3 5; 2 4 6] and B is [1 1; 0 1; 0 1].
  gemm(MatrixLayout::column_major, Transpose::no, Transpose::no, 2, 2, 3, 1.0F, a.data(), 2,
       b.data(), 3, 0.0F, c.data(), 2);
  CHECK(c == std::vector<float>{1, 2, 9, 12});
}

TEST_CASE("gemm: with k = 0 or alpha = 0, C is scaled and A and B are not read") {
  std::vector<float> c{1, 2, 3, 4};
  gemm(GemmCall<float>{.m = 2, .n = 2, .k = 0, .beta = 3, .ldb = 2, .ldc = 2}, nullptr, nullptr,
       c.data());
  CHECK(c == std::vector<float>{3, 6, 9, 12});
  gemm(GemmCall<float>{.m = 2, .n = 2, .k = 5, .alpha = 0, .lda = 5, .ldb = 2, .ldc = 2}, nullptr,
       nullptr, c.data());
  CHECK(c == std::vector<float>{0, 0, 0, 0});
  gemm(GemmCall<float>{.m = 0, .n = 2, .k = 5, .lda = 5, .ldb = 2, .ldc = 2}, nullptr, nullptr,
       nullptr);
}

TEST_CASE("gemm: threads that ask for one new shape compile it once") {
  clear_gemm_cache();
  const std::size_t before = gemm_cache_counts().compiled;
  const std::vector<float> a(17 * 19, 1), b(19 * 23, 1);
  std::vector<std::thread> threads;
  std::vector<std::vector<float>> results(4, std::vector<float>(17 * 23));
  threads.reserve(results.size());
  for (std::vector<float>& c : results)
    threads.emplace_back([&] {
      gemm(GemmCall<float>{.m = 17, .n = 23, .k = 19, .lda = 19, .ldb = 23, .ldc = 23}, a.data(),
           b.data(), c.data());
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<float>& c : results) CHECK(c == std::vector<float>(17 * 23, 19));
  CHECK(gemm_cache_counts().compiled == before + 1);
  CHECK(gemm_cache_counts().held == 1);
}

TEST_CASE("gemm: calls with other factors share a kernel, also at once on several threads") {
  clear_gemm_cache();
  const std::size_t before = gemm_cache_counts().compiled;
  const std::vector<double> a(3 * 5, 1), b(5 * 7, 1);
  const auto check = [&](double alpha, double beta) {
    std::vector<double> c(3 * 7, 2);
    gemm({.m = 3, .n = 7, .k = 5, .alpha = alpha, .beta = beta, .lda = 5, .ldb = 7, .ldc = 7},
         a.data(), b.data(), c.data());
    return c == std::vector<double>(3 * 7, 5 * alpha + 2 * beta);
  };
  for (const double factor : {2.0, -0.5, 3.0}) CHECK(check(factor, factor));
  CHECK(gemm_cache_counts().compiled == before + 1);
  // With alpha = 1, there is one kernel for beta = 0, one for beta = 1, and one for the other
  // values of beta.
  for (const double beta : {0.0, 1.0, 4.0, 5.0}) CHECK(check(1, beta));
  CHECK(gemm_cache_counts().compiled == before + 4);
  std::vector<std::thread> threads;
  std::vector<char> passed(4, 1);
  for (std::size_t i = 0; i < passed.size(); ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 50; ++round)
        if (!check(static_cast<double>(i + 2), static_cast<double>(i + 3))) passed[i] = 0;
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(passed == std::vector<char>(4, 1));
  CHECK(gemm_cache_counts().compiled == before + 4);
}

TEST_CASE("gemm: the cache forgets the kernel that was not used for longest") {
  clear_gemm_cache();
  const std::vector<float> a(8, 1), b(8, 1);
  std::vector<float> c(64);
  // Each lda has six kernels, for two kinds of alpha and three kinds of beta. The results do not
  // depend on lda, because A has only one row.
  const auto call = [&](std::size_t place) {
    const auto alpha = static_cast<float>(1 + place % 2), beta = static_cast<float>(place / 2 % 3);
    const auto lda = static_cast<std::int64_t>(8 + place / 6);
    c[0] = 1;
    gemm({.m = 1, .n = 1, .k = 8, .alpha = alpha, .beta = beta, .lda = lda, .ldb = 1, .ldc = 1},
         a.data(), b.data(), c.data());
    CHECK(c[0] == 8 * alpha + beta);
  };
  const std::size_t before = gemm_cache_counts().compiled;
  for (std::size_t i = 0; i <= kGemmKernels; ++i) call(i);
  CHECK(gemm_cache_counts().held == kGemmKernels);
  CHECK(gemm_cache_counts().compiled == before + kGemmKernels + 1);
  call(1);
  CHECK(gemm_cache_counts().compiled == before + kGemmKernels + 1);
  call(0);
  CHECK(gemm_cache_counts().compiled == before + kGemmKernels + 2);
  release_gemm_memory();
}

TEST_CASE("gemm: errors name the argument and the rule") {
  CHECK(complaint({.m = -1}) == "gemm: m is -1; must be at least 0");
  CHECK(complaint({.m = 2, .n = 2, .k = 3, .lda = 2, .ldb = 2, .ldc = 2}) ==
        "gemm: lda is 2; must be at least 3");
  CHECK(complaint({.layout = MatrixLayout::column_major,
                   .m = 4,
                   .n = 2,
                   .k = 3,
                   .lda = 3,
                   .ldb = 3,
                   .ldc = 4}) == "gemm: lda is 3; must be at least 4");
  CHECK(complaint({.m = 1, .n = 1, .k = 1, .alpha = std::numeric_limits<float>::infinity()})
            .find("must be finite") != std::string::npos);
  GemmCall<float> shared{.m = 2, .n = 2, .beta = 2, .lda = 2, .ldb = 2, .ldc = 2, .batch = 2};
  shared.stride_a = shared.stride_b = 4;
  for (shared.k = 0; shared.k <= 2; shared.k += 2)
    for (shared.stride_c = 0; shared.stride_c <= 1; ++shared.stride_c)
      CHECK(complaint(shared).find("matrices of C must be apart") != std::string::npos);
  float one = 1;
  CHECK_THROWS_WITH_AS(gemm(GemmCall<float>{.m = 1, .n = 1, .k = 1}, nullptr, &one, &one),
                       "gemm: a is null; must be a matrix", Error);
}
