// SPDX-License-Identifier: Apache-2.0
// This file writes types and macros for the vector extensions that GCC and Clang share. On x86, an
// attribute of the functions selects the ISA.
#include "emit_parts.h"
#include "scaled_sums.h"

namespace tileplan {
namespace {

/// Writes a macro that fills a vector with `count` elements `stride` apart, and then with zeros.
void gather_macro(CWriter& out, const std::string& number, const std::string& name,
                  std::int64_t stride) {
  const std::string place = stride == 1 ? "i_" : "i_ * " + std::to_string(stride);
  out.line("#define " + name + "(value, at, count) do { " + number + " lanes_[LANES] = {0}; \\");
  out.line("    for (int64_t i_ = 0; i_ < (count); ++i_) lanes_[i_] = (at)[" + place + "]; \\");
  out.line("    __builtin_memcpy(&(value), lanes_, sizeof lanes_); } while (0)");
}

/// Writes the macro that loads a vector of inputs, lane by lane unless all lanes are contiguous and
/// may be read.
void input_macro(CWriter& out, const EmitContext& context) {
  const std::int64_t stride = context.lane_stride(Operand::input);
  if ((stride == 1 || context.lanes == 1) && !context.has_tail(Operand::input))
    out.line("#define INPUT(value, at, count) (value) = *(const " + context.factors() + " *)(at)");
  else
    gather_macro(out, context.number(Operand::input), "INPUT", stride);
}

/// Writes macros that load and store outputs and load vectors of inputs, lane by lane where lanes
/// are not contiguous or must not be accessed.
void lane_macros(CWriter& out, const EmitContext& context) {
  const std::int64_t stride = context.lane_stride(Operand::output);
  const bool whole = stride == 1 || context.lanes == 1;
  if (whole) {
    out.line("#define LOAD(value, at) (value) = *(const vec *)(at)");
    out.line("#define STORE(at, value) *(vec *)(at) = (value)");
  } else {
    out.line("#define LOAD(value, at) LOAD_LANES(value, at, LANES)");
    out.line("#define STORE(at, value) STORE_LANES(at, value, LANES)");
  }
  if (context.has_vectors(Operand::input)) input_macro(out, context);
  if (whole && !context.has_tail(Operand::output)) return;
  const std::string place = stride == 1 ? "i_" : "i_ * " + std::to_string(stride);
  // The lanes go through an array, because compilers keep a vector in memory if a variable indexes
  // it.
  gather_macro(out, context.number(), "LOAD_LANES", stride);
  out.line("#define STORE_LANES(at, value, count) do { " + context.number() + " lanes_[LANES]; \\");
  out.line("    __builtin_memcpy(lanes_, &(value), sizeof lanes_); \\");
  out.line("    for (int64_t i_ = 0; i_ < (count); ++i_) (at)[" + place +
           "] = lanes_[i_]; } while (0)");
}

/// Writes the number of lanes, the type of vectors of sums, and a macro that fills a vector with
/// copies of a number.
void vector_macros(CWriter& out, const EmitContext& context) {
  const std::string lanes = std::to_string(context.lanes);
  out.line("enum { LANES = " + lanes + " };");
  if (context.lanes == 1) {
    out.line("typedef " + context.lane_number() + " vec;");
    out.line("#define BROADCAST(value) (value)");
    return;
  }
  const std::string bytes = std::to_string(context.tensor(Operand::output).element_bytes());
  out.line("typedef " + context.lane_number() + " vec __attribute__((vector_size(" + lanes + " * " +
           bytes + "), aligned(" + bytes + ")));");
  std::string values = "x_";
  for (int lane = 1; lane < context.lanes; ++lane) values += ", x_";
  out.line("#define BROADCAST(value) __extension__({ const " + context.number() +
           " x_ = (value); (vec){" + values + "}; })");
}

}  // namespace

void emit_rounding_macro(CWriter& out, const EmitContext& context, const TargetRow& row) {
  const std::string constraint = context.lanes > 1 ? row.constraint : "";
  const std::string define = "#define ROUNDED(value) ";
  if (constraint.empty()) return out.line(define + "(void)(value)");
  // Files for NEON must also compile for other processors, whose inline assembly does not have the
  // constraint for NEON registers.
  const bool is_neon = row.target == Target::neon;
  if (is_neon) out.directive("#ifdef __aarch64__");
  out.line(define + "__asm__(\"\" : \"" + constraint + "\"(value))");
  if (!is_neon) return;
  out.directive("#else");
  out.line(define + "(void)(value)");
  out.directive("#endif");
}

// Writes the macro KERNEL. An attribute lets GCC contract a * b + c to a multiply-add, which it
// does not do with options such as -std=c11. Clang contracts by default.
void emit_kernel_macro(CWriter& out, const TargetRow& row, const std::string& more_features) {
  const std::string features = row.features + more_features;
  const std::string target = features.empty() ? "" : "target(\"" + features + "\")";
  out.directive("#ifdef __clang__");
  // Without this attribute, Clang splits wide vectors in two for some processors.
  const std::string width =
      row.target == Target::avx512 ? ", min_vector_width(512)" : std::string();
  out.line("#define KERNEL" + (target.empty() ? "" : " __attribute__((" + target + width + "))"));
  out.directive("#else");
  out.line("#define KERNEL __attribute__((" + target + (target.empty() ? "" : ", ") +
           "optimize(\"fp-contract=fast\")))");
  out.directive("#endif");
}

void emit_macros(CWriter& out, const EmitContext& context, const TargetRow& row) {
  if (context.has_strips()) emit_strip_types(out, context, row);
  vector_macros(out, context);
  const bool needs_bytes = context.has_strips() && has_memory_operands(row.target);
  emit_kernel_macro(out, row, needs_bytes ? ",avx512bw" : "");
  out.line("#define WEIGHT(at) (*(const " + context.factors() + " *)(at))");
  if (context.has_weights_tail())
    gather_macro(out, context.number(Operand::weights), "WEIGHT_LANES", 1);
  if (context.keep_operands)
    out.line(
        "/* Keeps an operand in a register of its own: in memory it would be loaded again for "
        "every multiply-add. */\n#define KEEP(value) __asm__(\"\" : \"" +
        std::string(row.constraint) + "\"(value))");
  if (scales_sums(context.epilogue) || context.epilogue.activation.any())
    emit_rounding_macro(out, context, row);
  lane_macros(out, context);
  emit_epilogue_macros(out, context);
  if (context.has_strips()) emit_products(out, context, row);
  out.line("#define INSIDE(index, extent) ((index) >= 0 && (index) < (extent))");
  out.line("");
}

}  // namespace tileplan
