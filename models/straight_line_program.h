// SPDX-License-Identifier: Apache-2.0
// This file turns the product of a constant matrix and a vector into a program of few arithmetic
// instructions, and interprets such programs.
#pragma once

#include <cmath>
#include <concepts>
#include <utility>

#include "matrix.h"
#include "rational.h"

namespace tileplan {

/// Names what an instruction computes from its operands a and b and its constant c. x86 CPUs have
/// one vector instruction for each.
enum class LineKind { add, subtract, multiply, multiply_add, multiply_subtract };

/// Represents one instruction: a + b, a - b, c a, c a + b or c a - b. `a` and `b` are numbers of
/// earlier values.
struct Line {
  LineKind kind = LineKind::add;
  int a = 0, b = 0;
  Rational constant = 1;
};

/// Lists instructions that compute values one after the other. Values 0 to inputs - 1 are the
/// inputs, and line i computes value inputs + i.
struct StraightLineProgram {
  int inputs = 0;
  std::vector<Line> lines = {};
  /// Lists the numbers of the values that are the outputs. kZeroValue stands for an output of 0.
  std::vector<int> outputs = {};

  static constexpr int kZeroValue = -1;
};

/// Returns a program that computes matrix * vector. Two columns of equal absolute values are
/// replaced by their sum and difference, and two rows of equal absolute values are computed as u +
/// v and u - v, where this saves operations; Winograd transforms are thus factored into even and
/// odd parts. A sum of n > 1 terms takes n - 1 lines when one coefficient is 1 or -1, and n lines
/// otherwise.
StraightLineProgram factored_program(const Matrix<Rational>& matrix);

/// Refers to numbers in memory that begin at `first` and are `stride` numbers apart.
template <class Number>
struct Strided {
  Number* first = nullptr;
  std::ptrdiff_t stride = 1;

  Number& operator[](std::size_t i) const { return first[static_cast<std::ptrdiff_t>(i) * stride]; }
};

/// Interprets a program with numbers of one type, such as float or Rational. Floating-point
/// multiply-adds round once, as the instructions do, so results in float are bitwise those of
/// assembled programs.
template <class Number>
class ProgramRun {
 public:
  explicit ProgramRun(StraightLineProgram program) : program_(std::move(program)) {
    for (const Line& line : program_.lines)
      constants_.push_back(static_cast<Number>(line.constant));
  }

  std::size_t inputs() const { return static_cast<std::size_t>(program_.inputs); }
  std::size_t outputs() const { return program_.outputs.size(); }

  void operator()(Strided<const Number> in, Strided<Number> out) {
    values_.resize(inputs());
    for (std::size_t i = 0; i < inputs(); ++i) values_[i] = in[i];
    for (std::size_t i = 0; i < constants_.size(); ++i)
      values_.push_back(value_of(program_.lines[i], constants_[i]));
    for (std::size_t i = 0; i < outputs(); ++i)
      out[i] = program_.outputs[i] == StraightLineProgram::kZeroValue ? Number(0)
                                                                      : at(program_.outputs[i]);
  }

 private:
  const Number& at(int value) const { return values_[static_cast<std::size_t>(value)]; }

  Number value_of(const Line& line, const Number& constant) const {
    if (line.kind == LineKind::multiply) return constant * at(line.a);
    const Number &a = at(line.a), &b = at(line.b);
    if (line.kind == LineKind::add) return a + b;
    if (line.kind == LineKind::subtract) return a - b;
    const Number addend = line.kind == LineKind::multiply_add ? b : Number(-b);
    if constexpr (std::floating_point<Number>)
      return std::fma(constant, a, addend);
    else
      return constant * a + addend;
  }

  StraightLineProgram program_;
  std::vector<Number> constants_, values_;
};

}  // namespace tileplan
