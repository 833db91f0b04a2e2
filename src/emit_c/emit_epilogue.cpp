// SPDX-License-Identifier: Apache-2.0
// This file writes epilogues as C. Emitted C limits sums by comparisons, so that a NaN gives the
// same result as in the assembled kernel.
#include <limits>

#include "activation.h"
#include "c_text.h"
#include "element.h"
#include "emit_parts.h"
#include "scaled_sums.h"

namespace tileplan {
namespace {

/// Writes a macro that adds `count` elements, `stride` apart in memory, to the lanes of a sum.
void lanes_macro(CWriter& out, const std::string& number, const std::string& name,
                 std::int64_t stride) {
  const std::string place = stride == 1 ? "i_" : "i_ * " + std::to_string(stride);
  out.line("#define " + name + "(sum, at, count) do { " + number +
           " lanes_[LANES] = {0}; vec addend_; \\");
  out.line("    for (int64_t i_ = 0; i_ < (count); ++i_) lanes_[i_] = (at)[" + place + "]; \\");
  out.line("    __builtin_memcpy(&addend_, lanes_, sizeof lanes_); (sum) += addend_; } while (0)");
}

void addition_macros(CWriter& out, const EmitContext& context, const std::string& name,
                     std::int64_t stride) {
  const bool whole = stride == 1 || context.lanes == 1;
  out.line("#define " + name + "(sum, at) " +
           (whole ? "(sum) += *(const vec *)(at)" : name + "_LANES(sum, at, LANES)"));
  if (!whole || context.is_ragged()) lanes_macro(out, context.number(), name + "_LANES", stride);
}

/// Writes a macro that clamps each lane of a sum to the same lane of a vector of limits. The lanes
/// of integers are unsigned in C, so the macro converts them to signed numbers for the comparison.
void limit_macro(CWriter& out, const EmitContext& context, const std::string& name,
                 const std::string& relation) {
  if (context.lanes == 1) {
    const std::string sign = context.is_integer() ? "(int32_t)" : "";
    out.line("#define " + name + "(sum, limit) (sum) = (limit) " + relation + " " + sign +
             "(sum) ? " + (context.is_integer() ? "(vec)" : "") + "(limit) : (sum)");
    return;
  }
  const std::string sign = context.is_integer() ? "(lane_mask)" : "";
  out.line("#define " + name + "(sum, limit) do { const vec limit_ = (limit); \\");
  out.line("    const lane_mask beyond_ = (lane_mask)(" + sign + "limit_ " + relation + " " + sign +
           "(sum)); \\");
  out.line("    (sum) = (vec)((beyond_ & (lane_mask)limit_) | (~beyond_ & (lane_mask)(sum))); \\");
  out.line("    } while (0)");
}

/// Tells which of the two limits the code of an epilogue needs.
struct Limited {
  bool below = false, above = false;
};

Limited limited_by(const Epilogue& epilogue) {
  const bool is_leaky = epilogue.activation.kind == ActivationKind::leaky;
  const bool has_both = epilogue.activation.any() && !is_leaky,
             is_steep = epilogue.activation.alpha > 1;
  return {.below = epilogue.low > -kNoLimit || has_both || (is_leaky && !is_steep),
          .above = epilogue.high < kNoLimit || has_both || (is_leaky && is_steep)};
}

/// Returns C text for a vector whose lanes all hold `number`.
std::string vector_text(const EmitContext& context, double number) {
  return "BROADCAST(" + number_text(context, number) + ")";
}

/// Returns statements that replace the variable `value` by alpha * value + beta, clamped to [0, 1].
std::string hard_text(const EmitContext& context, const std::string& value) {
  const auto vector_of = [&](double number) { return vector_text(context, number); };
  const Activation& activation = context.epilogue.activation;
  return value + " *= " + vector_of(activation.alpha) + "; ROUNDED(" + value + "); " + value +
         " += " + vector_of(activation.beta) + "; AT_LEAST(" + value + ", " + vector_of(0) +
         "); AT_MOST(" + value + ", " + vector_of(1) + ");";
}

/// Writes the statements that set power_ to exp(-sum) in the steps that ExponentialSteps describes.
void exponential_lines(CWriter& out, const EmitContext& context) {
  using Steps = ExponentialSteps;
  const auto vector_of = [&](double number) { return vector_text(context, number); };
  out.line("    vec power_ = (sum) * " + vector_of(Steps::kPerX) + "; \\");
  out.line("    AT_MOST(power_, " + vector_of(Steps::kMost) + "); AT_LEAST(power_, " +
           vector_of(-Steps::kMost) + "); \\");
  out.line("    const vec whole_ = power_ + " + vector_of(Steps::kShift) + "; \\");
  out.line("    power_ -= whole_ - " + vector_of(Steps::kShift) + "; \\");
  out.line("    vec two_to_ = " + vector_of(Steps::kPolynomial.front()) + "; \\");
  for (std::size_t i = 1; i < Steps::kPolynomial.size(); ++i)
    out.line("    two_to_ *= power_; ROUNDED(two_to_); two_to_ += " +
             vector_of(Steps::kPolynomial[i]) + "; \\");
  out.line("    lane_bits bits_, shift_; __builtin_memcpy(&bits_, &two_to_, sizeof bits_); \\");
  out.line("    __builtin_memcpy(&shift_, &whole_, sizeof shift_); bits_ += shift_ << " +
           std::to_string(Steps::kExponentBit) + "; \\");
  out.line("    __builtin_memcpy(&power_, &bits_, sizeof power_); \\");
}

/// Writes a macro that applies the activation, if there is one, to the lanes of a sum.
void activation_macro(CWriter& out, const EmitContext& context) {
  const Activation& activation = context.epilogue.activation;
  if (!activation.any()) return;
  const bool is_silu = activation.kind == ActivationKind::silu;
  const std::string one = vector_text(context, 1);
  if (is_silu || activation.kind == ActivationKind::sigmoid) {
    out.line("typedef uint32_t lane_bits" +
             (context.lanes == 1 ? std::string()
                                 : " __attribute__((vector_size(" + std::to_string(context.lanes) +
                                       " * 4), aligned(4)))") +
             ";");
    out.line("#define ACTIVATE(sum) do { \\");
    exponential_lines(out, context);
    out.line(std::string("    (sum) = ") + (is_silu ? "(sum)" : one) + " / (power_ + " + one +
             "); } while (0)");
  } else if (activation.kind == ActivationKind::leaky) {
    out.line("#define ACTIVATE(sum) do { const vec scaled_ = (sum) * " +
             vector_text(context, activation.alpha) + "; \\");
    out.line(std::string("    ") + (activation.alpha > 1 ? "AT_MOST" : "AT_LEAST") +
             "(sum, scaled_); } while (0)");
  } else {
    const bool is_gate = activation.kind == ActivationKind::hard_swish;
    out.line("#define ACTIVATE(sum) do { vec gate_ = (sum); " + hard_text(context, "gate_") +
             " \\");
    out.line(std::string("    (sum) ") + (is_gate ? "*=" : "=") + " gate_; } while (0)");
  }
}

}  // namespace

std::string number_text(const EmitContext& context, double value) {
  if (context.is_integer()) return "(int32_t)INT64_C(" + number(nearest<std::int32_t>(value)) + ")";
  if (context.is_double()) return exact_text(value);
  return exact_float_text(value);
}

bool follows_sum(const Epilogue& epilogue) {
  return epilogue.bias || epilogue.add || epilogue.activation.any() || epilogue.low > -kNoLimit ||
         epilogue.high < kNoLimit;
}

void emit_epilogue_macros(CWriter& out, const EmitContext& context) {
  const Epilogue& epilogue = context.epilogue;
  const std::string bytes = std::to_string(context.tensor(Operand::output).element_bytes());
  const Limited limited = limited_by(epilogue);
  if ((limited.below || limited.above) && context.lanes > 1)
    out.line(std::string("typedef ") + (context.is_double() ? "int64_t" : "int32_t") +
             " lane_mask __attribute__((vector_size(" + std::to_string(context.lanes) + " * " +
             bytes + "), aligned(" + bytes + ")));");
  if (epilogue.bias && !has_bias_along(context.computation, context.program.vectorised,
                                       context.corrects_channels())) {
    out.line("#define ADD_BIAS(sum, at) (sum) += BROADCAST(*(at))");
    if (context.is_ragged()) out.line("#define ADD_BIAS_LANES(sum, at, count) ADD_BIAS(sum, at)");
  } else if (epilogue.bias) {
    addition_macros(out, context, "ADD_BIAS", 1);
  }
  if (epilogue.add)
    addition_macros(out, context, "ADD_RESIDUAL", context.lane_stride(Operand::output));
  if (limited.below) limit_macro(out, context, "AT_LEAST", ">");
  if (limited.above) limit_macro(out, context, "AT_MOST", "<");
  activation_macro(out, context);
  if (!follows_sum(epilogue) || !context.is_ragged()) return;
  out.line("#define ZERO_FROM(sum, count) do { " + context.number() + " lanes_[LANES]; \\");
  out.line("    __builtin_memcpy(lanes_, &(sum), sizeof lanes_); \\");
  out.line("    for (int64_t i_ = (count); i_ < LANES; ++i_) lanes_[i_] = 0; \\");
  out.line("    __builtin_memcpy(&(sum), lanes_, sizeof lanes_); } while (0)");
}

void emit_scaled_sum(CWriter& out, const EmitContext& context, const SumText& text, bool split) {
  const Epilogue& epilogue = context.epilogue;
  if (!scales_sums(epilogue)) return;
  if (epilogue.alpha != 1)
    out.line(text.sum + " *= BROADCAST(" + number_text(context, epilogue.alpha) + "); ROUNDED(" +
             text.sum + ");");
  if (epilogue.beta == 0 && !split) return;
  out.open(epilogue.beta == 0 ? "if (step > 0)" : "");
  out.line("vec before;");
  out.line(macro_call("LOAD", "before, " + text.output, text.cut));
  if (scales_output(epilogue))
    out.line("before *= BROADCAST(" + std::string(split ? "step > 0 ? 1 : " : "") +
             number_text(context, epilogue.beta) + "); ROUNDED(before);");
  out.line(text.sum + " += before;");
  out.close();
}

void emit_limits(CWriter& out, const EmitContext& context, const Epilogue& epilogue,
                 const std::string& sum) {
  const auto limit = [&](const char* name, double value) {
    out.line(name + ("(" + sum) + ", " + vector_text(context, value) + ");");
  };
  if (epilogue.activation.any()) out.line("ACTIVATE(" + sum + ");");
  if (epilogue.low > -kNoLimit) limit("AT_LEAST", epilogue.low);
  if (epilogue.high < kNoLimit) limit("AT_MOST", epilogue.high);
}

void emit_epilogue(CWriter& out, const EmitContext& context, const SumText& text) {
  const Epilogue& epilogue = context.epilogue;
  const auto addition = [&](const char* name, const std::string& at) {
    out.line(macro_call(name, text.sum + ", " + at, text.cut));
  };
  if (epilogue.bias) addition("ADD_BIAS", text.bias);
  if (epilogue.add) addition("ADD_RESIDUAL", "residual + (" + text.output + " - output)");
  emit_limits(out, context, epilogue, text.sum);
  if (text.cut) out.line("ZERO_FROM(" + text.sum + ", lanes);");
}

}  // namespace tileplan
