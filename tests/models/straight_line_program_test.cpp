// SPDX-License-Identifier: Apache-2.0
// This test checks that factored programs compute the products of their matrices exactly, and
// counts their operations.
#include "straight_line_program.h"

#include <doctest/doctest.h>

#include <random>

#include "winograd_points.h"

using namespace tileplan;

namespace {

std::vector<Rational> product(const Matrix<Rational>& matrix, const std::vector<Rational>& vector) {
  std::vector<Rational> result(static_cast<std::size_t>(matrix.rows));
  for (int row = 0; row < matrix.rows; ++row)
    for (int column = 0; column < matrix.columns; ++column)
      result[static_cast<std::size_t>(row)] +=
          matrix.at(row, column) * vector[static_cast<std::size_t>(column)];
  return result;
}

/// Returns true when the program of `matrix` gives the same results as the matrix for random
/// fractions.
bool computes(const Matrix<Rational>& matrix, std::mt19937& random) {
  std::uniform_int_distribution<int> number(-99, 99);
  std::vector<Rational> vector;
  vector.reserve(static_cast<std::size_t>(matrix.columns));
  for (int i = 0; i < matrix.columns; ++i) vector.emplace_back(number(random), 7);
  ProgramRun<Rational> run(factored_program(matrix));
  std::vector<Rational> result(run.outputs());
  run({vector.data()}, {result.data()});
  return result == product(matrix, vector);
}

struct Counts {
  std::size_t in = 0, out = 0;
  bool operator==(const Counts&) const = default;
};

Counts lines_of(const WinogradMatrices& matrices) {
  return {factored_program(matrices.input).lines.size(),
          factored_program(matrices.output).lines.size()};
}

}  // namespace

TEST_CASE("programs of all transforms in use compute their matrices in rationals") {
  std::mt19937 random(1);
  for (const WinogradSize size : winograd_sizes()) {
    CAPTURE(size.outputs);
    CAPTURE(size.taps);
    const WinogradMatrices matrices = winograd_of(size);
    CHECK(computes(matrices.input, random));
    CHECK(computes(matrices.output, random));
    CHECK(computes(matrices.weights, random));
  }
}

TEST_CASE("programs of random matrices of few values, whose rows and columns are often alike") {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> entry(-2, 2), extent(1, 6);
  for (int round = 0; round < 300; ++round) {
    Matrix<Rational> matrix(extent(random), extent(random));
    for (Rational& value : matrix.values) value = Rational(entry(random), 2);
    CHECK(computes(matrix, random));
  }
}

TEST_CASE("operations of both transforms are those of factoring by hand") {
  CHECK(lines_of(winograd_of({2, 3})) == Counts{4, 4});
  CHECK(lines_of(winograd_of({4, 3})) == Counts{12, 10});
  CHECK(lines_of(winograd_of({6, 3})) == Counts{24, 20});
  CHECK(lines_of(winograd_of({2, 5})) == Counts{12, 8});
  CHECK(lines_of(winograd_of({4, 5})) == Counts{24, 16});
  const auto usual = winograd_matrices(4, 3, {{0}, {1}, {-1}, {2}, {-2}});
  CHECK(lines_of(usual) == Counts{12, 10});
  const Rational small(5, 8), large(3, 2);
  const auto least = winograd_matrices(4, 3, {{0}, {small}, {-small}, {large}, {-large}});
  CHECK(lines_of(least) == Counts{12, 12});
}

TEST_CASE("a row of zeros is the zero value, and a row with one 1 is an input") {
  Matrix<Rational> matrix(2, 2);
  matrix.at(1, 1) = 1;
  const StraightLineProgram program = factored_program(matrix);
  CHECK(program.lines.empty());
  CHECK(program.outputs == std::vector<int>{StraightLineProgram::kZeroValue, 1});
}

TEST_CASE("float programs round each multiply-add once") {
  Matrix<Rational> matrix(1, 2);
  matrix.at(0, 0) = 1;
  matrix.at(0, 1) = 3;
  ProgramRun<float> run(factored_program(matrix));
  // The exact product of 3 and the second input is 1 + 2^-25, which a rounded product would lose.
  const float in[] = {-1.0F, 0x1.555556p-2F};
  float out = 0;
  run({in}, {&out});
  CHECK(out == 0x1p-25F);
}
