// SPDX-License-Identifier: Apache-2.0
// This file assembles activations of vectors of sums.
#pragma once

#include <xbyak/xbyak.h>

#include <cstdint>
#include <map>
#include <vector>

#include "tileplan/element.h"
#include "tileplan/epilogue.h"

namespace tileplan {

class ActivationCode {
 public:
  /// Keeps a reference to `code`. Vectors have `lanes` elements of `type`, which must be f32 for
  /// sigmoid and silu, and f32 or f64 for other activations.
  ActivationCode(Xbyak::CodeGenerator& code, const Activation& activation, ElementType type,
                 int lanes)
      : code_(code), activation_(activation), type_(type), lanes_(lanes) {}

  /// Emits code that applies the activation to the elements of `value`. Registers with the indices
  /// `free` may be changed. When they are too few, other registers are saved on the stack (below
  /// the red zone) and restored.
  void apply(const Xbyak::Xmm& value, const std::vector<int>& free);
  /// Emits the constants that apply() reads. Call this function after all code.
  void emit_constants();

  /// The code of one apply() has at most most_instructions() instructions, and emit_constants()
  /// emits at most kMostConstants vectors.
  static std::size_t most_instructions(const Activation& activation);
  static constexpr std::size_t kMostConstants = 16;

 private:
  using Registers = std::vector<Xbyak::Xmm>;

  bool is_double() const { return type_ == ElementType::f64; }
  std::size_t temporaries() const;
  void apply_with(const Xbyak::Xmm& value, const Registers& temporaries);
  void apply_leaky(const Xbyak::Xmm& value, const Xbyak::Xmm& scaled);
  void apply_hard(const Xbyak::Xmm& value, const Xbyak::Xmm& limit);
  void apply_exponential(const Xbyak::Xmm& value, const Registers& temporaries);
  /// Sets the first temporary to exp(-value), limited to the range from 2^-126 to 2^126.
  void emit_exponential(const Xbyak::Xmm& value, const Registers& temporaries);
  void save(const Registers& registers);
  void restore(const Registers& registers);

  // These functions emit the instruction for f32 or f64. If an operand is NaN, largest() and
  // least() select `b`.
  void multiply(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b);
  void add(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b);
  void largest(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b);
  void least(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b);
  Xbyak::Address constant(double value) { return code_.ptr[code_.rip + constants_[value]]; }
  Xbyak::Xmm sibling(const Xbyak::Xmm& value, int index) const;

  Xbyak::CodeGenerator& code_;
  Activation activation_;
  ElementType type_;
  int lanes_;
  std::map<double, Xbyak::Label> constants_;
};

}  // namespace tileplan
