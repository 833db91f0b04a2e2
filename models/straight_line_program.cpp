// SPDX-License-Identifier: Apache-2.0
// Pairs of columns are factored first, then pairs of rows, and each row that remains is written
// term by term.
#include "straight_line_program.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tileplan {
namespace {

struct Summand {
  Rational coefficient = 0;
  int value = 0;
};
using Sum = std::vector<Summand>;

/// Represents `scale` times a value of the program.
struct Scaled {
  Rational scale = 1;
  int value = 0;
};

/// Lists the positions at which two rows (or columns) have equal entries, and those at which they
/// have opposite entries. Positions with two zeros are in neither list.
struct EntryComparison {
  std::vector<std::size_t> equal, opposite;
};

std::optional<EntryComparison> compare_entries(const std::vector<Rational>& a,
                                               const std::vector<Rational>& b) {
  EntryComparison compared;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0 && b[i] == 0) continue;
    if (a[i] == b[i])
      compared.equal.push_back(i);
    else if (a[i] == -b[i])
      compared.opposite.push_back(i);
    else
      return std::nullopt;
  }
  return compared;
}

class Factoring {
 public:
  explicit Factoring(const Matrix<Rational>& matrix)
      : rows_(static_cast<std::size_t>(matrix.rows)) {
    program_.inputs = matrix.columns;
    program_.outputs.resize(rows_);
    for (int column = 0; column < matrix.columns; ++column) {
      Column next{.value = column, .entries = {}};
      for (int row = 0; row < matrix.rows; ++row) next.entries.push_back(matrix.at(row, column));
      columns_.push_back(std::move(next));
    }
  }

  StraightLineProgram program() && {
    pair_columns();
    std::vector<bool> done(rows_);
    for (std::size_t a = 0; a < rows_; ++a)
      for (std::size_t b = a + 1; b < rows_ && !done[a]; ++b)
        if (!done[b] && write_pair(a, b)) done[a] = done[b] = true;
    for (std::size_t row = 0; row < rows_; ++row)
      if (!done[row]) program_.outputs[row] = write(row_sum(row));
    return std::move(program_);
  }

 private:
  struct Column {
    int value = 0;
    std::vector<Rational> entries;
  };

  int add_line(Line line) {
    program_.lines.push_back(std::move(line));
    return program_.inputs + static_cast<int>(program_.lines.size()) - 1;
  }

  /// Replaces pairs of columns by their sums and differences where this saves operations.
  void pair_columns() {
    for (std::size_t a = 0; a < columns_.size(); ++a)
      for (std::size_t b = a + 1; b < columns_.size(); ++b)
        if (replace_columns(a, b)) break;
  }

  bool replace_columns(std::size_t a, std::size_t b) {
    const auto compared = compare_entries(columns_[a].entries, columns_[b].entries);
    if (!compared) return false;
    // Each row in which an entry is not 0 loses one term, and computing the sum and the difference
    // takes one line each.
    const auto saved = compared->equal.size() + compared->opposite.size();
    const std::size_t lines =
        (compared->equal.empty() ? 0 : 1) + (compared->opposite.empty() ? 0 : 1);
    if (saved <= lines) return false;
    Column sum = columns_[a], difference = columns_[a];
    for (const std::size_t row : compared->opposite) sum.entries[row] = 0;
    for (const std::size_t row : compared->equal) difference.entries[row] = 0;
    const int left = columns_[a].value, right = columns_[b].value;
    if (!compared->equal.empty())
      sum.value = add_line({.kind = LineKind::add, .a = left, .b = right});
    if (!compared->opposite.empty())
      difference.value = add_line({.kind = LineKind::subtract, .a = left, .b = right});
    columns_[a] = std::move(sum);
    columns_[b] = std::move(difference);
    return true;
  }

  Sum row_sum(std::size_t row) const {
    Sum sum;
    for (const Column& column : columns_)
      if (column.entries[row] != 0) sum.push_back({column.entries[row], column.value});
    return sum;
  }

  std::vector<Rational> row_entries(std::size_t row) const {
    std::vector<Rational> entries;
    for (const Column& column : columns_) entries.push_back(column.entries[row]);
    return entries;
  }

  /// Writes rows a = u + v and b = u - v together when that saves operations. Returns true if it
  /// wrote them.
  bool write_pair(std::size_t a, std::size_t b) {
    const std::vector<Rational> entries = row_entries(a);
    const auto compared = compare_entries(entries, row_entries(b));
    if (!compared || compared->equal.empty() || compared->opposite.empty()) return false;
    if (compared->equal.size() + compared->opposite.size() <= 2) return false;
    const auto part = [&](const std::vector<std::size_t>& columns) {
      Sum sum;
      for (const std::size_t column : columns)
        sum.push_back({entries[column], columns_[column].value});
      return write_scaled(std::move(sum));
    };
    const Scaled u = part(compared->equal), v = part(compared->opposite);
    program_.outputs[a] = write({{u.scale, u.value}, {v.scale, v.value}});
    program_.outputs[b] = write({{u.scale, u.value}, {-v.scale, v.value}});
    return true;
  }

  /// Writes the lines, if any, that compute `sum` divided by a factor, so that one coefficient is 1
  /// or -1. Returns the value and the factor.
  Scaled write_scaled(Sum sum) {
    const bool has_unit = std::ranges::any_of(
        sum, [](const Summand& summand) { return abs(summand.coefficient) == 1; });
    const Rational scale = has_unit ? Rational(1) : sum.back().coefficient;
    for (Summand& summand : sum) summand.coefficient /= scale;
    if (sum.size() == 1) return {scale * sum[0].coefficient, sum[0].value};
    return {scale, write(std::move(sum))};
  }

  /// Writes the lines that compute `sum`, and returns the number of the resulting value.
  int write(Sum sum) {
    if (sum.empty()) return StraightLineProgram::kZeroValue;
    const auto has = [](const Rational& coefficient) {
      return [coefficient](const Summand& summand) { return summand.coefficient == coefficient; };
    };
    auto first = std::ranges::find_if(sum, has(1));
    if (first == sum.end() && sum.size() > 1) first = std::ranges::find_if(sum, has(-1));
    if (first == sum.end()) first = sum.begin();
    std::rotate(sum.begin(), first, first + 1);
    std::size_t next = 1;
    int value = write_first(sum, next);
    for (; next < sum.size(); ++next) value = add_summand(sum[next], value);
    return value;
  }

  /// Writes the line for the first summand, which needs none if its coefficient is 1, or one line
  /// for the first two summands, and then sets `next` to 2. Returns the number of the value.
  int write_first(const Sum& sum, std::size_t& next) {
    if (sum[0].coefficient == 1) return sum[0].value;
    if (sum[0].coefficient != -1 || sum.size() == 1)
      return add_line(
          {.kind = LineKind::multiply, .a = sum[0].value, .constant = sum[0].coefficient});
    next = 2;
    if (sum[1].coefficient == 1)
      return add_line({.kind = LineKind::subtract, .a = sum[1].value, .b = sum[0].value});
    return add_line({.kind = LineKind::multiply_subtract,
                     .a = sum[1].value,
                     .b = sum[0].value,
                     .constant = sum[1].coefficient});
  }

  int add_summand(const Summand& summand, int value) {
    if (summand.coefficient == 1)
      return add_line({.kind = LineKind::add, .a = value, .b = summand.value});
    if (summand.coefficient == -1)
      return add_line({.kind = LineKind::subtract, .a = value, .b = summand.value});
    return add_line({.kind = LineKind::multiply_add,
                     .a = summand.value,
                     .b = value,
                     .constant = summand.coefficient});
  }

  std::size_t rows_;
  std::vector<Column> columns_;
  StraightLineProgram program_;
};

}  // namespace

StraightLineProgram factored_program(const Matrix<Rational>& matrix) {
  return Factoring(matrix).program();
}

}  // namespace tileplan
