// SPDX-License-Identifier: Apache-2.0
// This file defines small dense matrices of any type of number, such as exact fractions.
#pragma once

#include <cstddef>
#include <vector>

namespace tileplan {

template <class Number>
struct Matrix {
  int rows = 0, columns = 0;
  std::vector<Number> values = {};  ///< Holds the entries row by row.

  Matrix() = default;
  Matrix(int row_count, int column_count)
      : rows(row_count),
        columns(column_count),
        values(static_cast<std::size_t>(row_count) * static_cast<std::size_t>(column_count)) {}

  Number& at(int row, int column) { return values[position(row, column)]; }
  const Number& at(int row, int column) const { return values[position(row, column)]; }
  std::size_t position(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) +
           static_cast<std::size_t>(column);
  }
};

/// Returns the matrix of `map(value)` for each entry of `matrix`.
template <class Result, class Number, class Map>
Matrix<Result> mapped_matrix(const Matrix<Number>& matrix, const Map& map) {
  Matrix<Result> result(matrix.rows, matrix.columns);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) result.values[i] = map(matrix.values[i]);
  return result;
}

/// Returns left * right. Requires that `left` has as many columns as `right` has rows.
template <class Number>
Matrix<Number> product(const Matrix<Number>& left, const Matrix<Number>& right) {
  Matrix<Number> result(left.rows, right.columns);
  for (int row = 0; row < left.rows; ++row)
    for (int i = 0; i < left.columns; ++i)
      for (int column = 0; column < right.columns; ++column)
        result.at(row, column) += left.at(row, i) * right.at(i, column);
  return result;
}

template <class Number>
Matrix<Number> transposed(const Matrix<Number>& matrix) {
  Matrix<Number> result(matrix.columns, matrix.rows);
  for (int row = 0; row < matrix.rows; ++row)
    for (int column = 0; column < matrix.columns; ++column)
      result.at(column, row) = matrix.at(row, column);
  return result;
}

/// Returns left * middle * right^T, which applies `left` to the columns of `middle` and `right` to
/// its rows.
template <class Number>
Matrix<Number> transformed(const Matrix<Number>& left, const Matrix<Number>& middle,
                           const Matrix<Number>& right) {
  return product(product(left, middle), transposed(right));
}

}  // namespace tileplan
