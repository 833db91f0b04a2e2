// SPDX-License-Identifier: Apache-2.0
// This file assembles activations. The code rounds after each multiplication and each addition, as
// emitted C does.
#include "activation_code.h"

#include <algorithm>
#include <bit>

#include "activation.h"

namespace tileplan {
namespace {

constexpr std::size_t kBelowRedZone = 128, kLongestVector = 64;

}  // namespace

std::size_t ActivationCode::most_instructions(const Activation& activation) {
  switch (activation.kind) {
    case ActivationKind::none:
      return 0;
    case ActivationKind::sigmoid:
    case ActivationKind::silu:
      return 40;  // Up to eight instructions save and restore registers.
    default:
      return 10;
  }
}

std::size_t ActivationCode::temporaries() const {
  const bool is_exponential =
      activation_.kind == ActivationKind::sigmoid || activation_.kind == ActivationKind::silu;
  return is_exponential ? 3 : 1;
}

Xbyak::Xmm ActivationCode::sibling(const Xbyak::Xmm& value, int index) const {
  if (value.isZMM()) return Xbyak::Zmm(index);
  return Xbyak::Ymm(index);
}

void ActivationCode::apply(const Xbyak::Xmm& value, const std::vector<int>& free) {
  if (!activation_.any()) return;
  Registers taken, saved;
  for (const int index : free)
    if (taken.size() < temporaries()) taken.push_back(sibling(value, index));
  for (int index = 0; taken.size() < temporaries(); ++index) {
    if (index == value.getIdx() || std::ranges::find(free, index) != free.end()) continue;
    taken.push_back(sibling(value, index));
    saved.push_back(taken.back());
  }
  save(saved);
  apply_with(value, taken);
  restore(saved);
}

void ActivationCode::apply_with(const Xbyak::Xmm& value, const Registers& temporaries) {
  switch (activation_.kind) {
    case ActivationKind::leaky:
      return apply_leaky(value, temporaries[0]);
    case ActivationKind::hard_sigmoid:
      return apply_hard(value, temporaries[0]);
    case ActivationKind::hard_swish:
      multiply(temporaries[0], value, constant(activation_.alpha));
      add(temporaries[0], temporaries[0], constant(activation_.beta));
      largest(temporaries[0], temporaries[0], constant(0));
      least(temporaries[0], temporaries[0], constant(1));
      return multiply(value, value, temporaries[0]);  // A NaN in `value` makes the product NaN.
    default:
      return apply_exponential(value, temporaries);
  }
}

// The instruction for the maximum (alpha <= 1) or minimum selects between x and alpha * x. For
// alpha <= 1, x is the larger one if it is positive, and the smaller one if it is negative.
void ActivationCode::apply_leaky(const Xbyak::Xmm& value, const Xbyak::Xmm& scaled) {
  multiply(scaled, value, constant(activation_.alpha));
  activation_.alpha <= 1 ? largest(value, scaled, value) : least(value, scaled, value);
}

void ActivationCode::apply_hard(const Xbyak::Xmm& value, const Xbyak::Xmm& limit) {
  multiply(value, value, constant(activation_.alpha));
  add(value, value, constant(activation_.beta));
  code_.vmovups(limit, constant(0));
  largest(value, limit, value);
  code_.vmovups(limit, constant(1));
  least(value, limit, value);
}

void ActivationCode::apply_exponential(const Xbyak::Xmm& value, const Registers& temporaries) {
  const Xbyak::Xmm &power = temporaries[0], &one = temporaries[1];
  emit_exponential(value, temporaries);
  code_.vaddps(power, power, constant(1));
  if (activation_.kind == ActivationKind::silu) return code_.vdivps(value, value, power);
  code_.vmovups(one, constant(1));
  code_.vdivps(value, one, power);
}

void ActivationCode::emit_exponential(const Xbyak::Xmm& value, const Registers& temporaries) {
  using Steps = ExponentialSteps;
  const Xbyak::Xmm &power = temporaries[0], &whole = temporaries[1], &polynomial = temporaries[2];
  code_.vmulps(power, value, constant(Steps::kPerX));
  code_.vmovups(whole, constant(Steps::kMost));
  code_.vminps(power, whole, power);
  code_.vmovups(whole, constant(-Steps::kMost));
  code_.vmaxps(power, whole, power);
  code_.vaddps(whole, power, constant(Steps::kShift));
  code_.vsubps(polynomial, whole, constant(Steps::kShift));
  code_.vsubps(power, power, polynomial);
  code_.vmovups(polynomial, constant(Steps::kPolynomial.front()));
  for (std::size_t i = 1; i < Steps::kPolynomial.size(); ++i) {
    code_.vmulps(polynomial, polynomial, power);
    code_.vaddps(polynomial, polynomial, constant(Steps::kPolynomial[i]));
  }
  code_.vpslld(whole, whole, Steps::kExponentBit);
  code_.vpaddd(power, polynomial, whole);
}

void ActivationCode::save(const Registers& registers) {
  if (registers.empty()) return;
  const std::size_t frame = kBelowRedZone + kLongestVector * registers.size();
  code_.lea(code_.rsp, code_.ptr[code_.rsp - frame]);
  std::size_t place = 0;
  for (const Xbyak::Xmm& each : registers)
    code_.vmovups(code_.ptr[code_.rsp + kLongestVector * place++], each);
}

void ActivationCode::restore(const Registers& registers) {
  if (registers.empty()) return;
  const std::size_t frame = kBelowRedZone + kLongestVector * registers.size();
  std::size_t place = 0;
  for (const Xbyak::Xmm& each : registers)
    code_.vmovups(each, code_.ptr[code_.rsp + kLongestVector * place++]);
  code_.lea(code_.rsp, code_.ptr[code_.rsp + frame]);
}

void ActivationCode::multiply(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b) {
  is_double() ? code_.vmulpd(to, a, b) : code_.vmulps(to, a, b);
}

void ActivationCode::add(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b) {
  is_double() ? code_.vaddpd(to, a, b) : code_.vaddps(to, a, b);
}

void ActivationCode::largest(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b) {
  is_double() ? code_.vmaxpd(to, a, b) : code_.vmaxps(to, a, b);
}

void ActivationCode::least(const Xbyak::Xmm& to, const Xbyak::Xmm& a, const Xbyak::Operand& b) {
  is_double() ? code_.vminpd(to, a, b) : code_.vminps(to, a, b);
}

void ActivationCode::emit_constants() {
  if (constants_.empty()) return;
  code_.align(kLongestVector);
  for (auto& [value, label] : constants_) {
    code_.L(label);
    for (int lane = 0; lane < lanes_; ++lane)
      is_double() ? code_.dq(std::bit_cast<std::uint64_t>(value))
                  : code_.dd(std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
}

}  // namespace tileplan
