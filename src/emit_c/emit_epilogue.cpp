// SPDX-License-Identifier: Apache-2.0
// Emitted C limits sums by comparisons, so that a NaN gives the same result as in the assembled
// kernel.
#include <array>
#include <cstdio>
#include <limits>

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

/// Writes a macro that clamps sums. The lanes of integers are unsigned in C, so they are compared
/// as signed numbers.
void limit_macro(CWriter& out, const EmitContext& context, const std::string& name,
                 const std::string& relation) {
  if (context.lanes == 1) {
    const std::string sign = context.is_integer() ? "(int32_t)" : "";
    out.line("#define " + name + "(sum, limit) (sum) = (limit) " + relation + " " + sign +
             "(sum) ? " + (context.is_integer() ? "(vec)" : "") + "(limit) : (sum)");
    return;
  }
  const std::string sign = context.is_integer() ? "(lane_mask)" : "";
  out.line("#define " + name + "(sum, limit) do { const vec limit_ = BROADCAST(limit); \\");
  out.line("    const lane_mask beyond_ = (lane_mask)(" + sign + "limit_ " + relation + " " + sign +
           "(sum)); \\");
  out.line("    (sum) = (vec)((beyond_ & (lane_mask)limit_) | (~beyond_ & (lane_mask)(sum))); \\");
  out.line("    } while (0)");
}

}  // namespace

std::string number_text(const EmitContext& context, double value) {
  std::array<char, 40> text{};
  if (context.is_integer())
    std::snprintf(text.data(), text.size(), "(int32_t)INT64_C(%d)", nearest<std::int32_t>(value));
  else if (context.is_double())
    std::snprintf(text.data(), text.size(), "%a", value);
  else
    std::snprintf(text.data(), text.size(), "%af", static_cast<double>(static_cast<float>(value)));
  return text.data();
}

bool follows_sum(const Epilogue& epilogue) {
  return epilogue.bias || epilogue.add || epilogue.low > -kNoLimit || epilogue.high < kNoLimit;
}

void emit_epilogue_macros(CWriter& out, const EmitContext& context) {
  const Epilogue& epilogue = context.epilogue;
  const std::string bytes = std::to_string(context.tensor(Operand::output).element_bytes());
  const bool limited = epilogue.low > -kNoLimit || epilogue.high < kNoLimit;
  if (limited && context.lanes > 1)
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
  if (epilogue.low > -kNoLimit) limit_macro(out, context, "AT_LEAST", ">");
  if (epilogue.high < kNoLimit) limit_macro(out, context, "AT_MOST", "<");
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

void emit_epilogue(CWriter& out, const EmitContext& context, const SumText& text) {
  const Epilogue& epilogue = context.epilogue;
  const auto addition = [&](const char* name, const std::string& at) {
    out.line(macro_call(name, text.sum + ", " + at, text.cut));
  };
  if (epilogue.bias) addition("ADD_BIAS", text.bias);
  if (epilogue.add) addition("ADD_RESIDUAL", "residual + (" + text.output + " - output)");
  if (epilogue.low > -kNoLimit)
    out.line("AT_LEAST(" + text.sum + ", " + number_text(context, epilogue.low) + ");");
  if (epilogue.high < kNoLimit)
    out.line("AT_MOST(" + text.sum + ", " + number_text(context, epilogue.high) + ");");
  if (text.cut) out.line("ZERO_FROM(" + text.sum + ", lanes);");
}

}  // namespace tileplan
