// SPDX-License-Identifier: Apache-2.0
// This file writes schemes, innermost loop first, in the notation of the papers on TTile and in
// that of XTC.
#include <span>

#include "linalg_operation.h"
#include "text_template.h"
#include "writers.h"

namespace tileplan {
namespace {

struct Letter {
  const char* ours;
  const char* theirs;
  bool reduction = false;
};

constexpr Letter kConvLetters[] = {{"k", "f"}, {"c", "c", true}, {"w", "x"},
                                   {"h", "y"}, {"s", "w", true}, {"r", "h", true}};
constexpr Letter kGemmLetters[] = {{"i", "i"}, {"j", "j"}, {"k", "k", true}};

const Letter* find_letter(const Problem& problem, std::string_view dim) {
  std::span<const Letter> letters;
  if (std::holds_alternative<ConvShape>(problem)) letters = kConvLetters;
  if (std::holds_alternative<GemmShape>(problem)) letters = kGemmLetters;
  for (const Letter& each : letters)
    if (each.ours == dim) return &each;
  return nullptr;
}

void append(std::string& list, const std::string& item) {
  list += (list.empty() ? "" : "; ") + item;
}

std::string specifier_text(const Specifier& loop, const std::string& letter) {
  switch (loop.kind) {
    case Kind::vector:
      return "V " + letter;
    case Kind::unroll:
      return loop.count == 0 ? "ULambda " + letter
                             : "U (" + std::to_string(loop.count) + ", " + letter + ")";
    case Kind::lambda: {
      std::string parts;
      for (const Part& part : loop.parts)
        parts += (parts.empty() ? "" : "; ") + std::string("((Iter ") + std::to_string(part.times) +
                 "); (Arg " + std::to_string(part.size) + "))";
      return "Lambda_apply " + letter + " [" + parts + "]";
    }
    default:
      return "T (" + std::to_string(loop.count) + ", " + letter + ")";
  }
}

/// Returns a text such as "V(f,16)".
std::string xtc_atom(const Specifier& loop, const std::string& letter, int lanes) {
  if (loop.kind == Kind::vector) return fill("V($,$)", {letter, std::to_string(lanes)});
  const char* name = loop.kind == Kind::unroll ? "U" : loop.kind == Kind::parallel ? "Tparal" : "T";
  return fill("$($,$)", {name, letter, std::to_string(loop.count)});
}

}  // namespace

std::optional<std::string> why_no_scheme(const Schedule& schedule, const Problem& problem) {
  if (schedule.pack_input) return "packing the input";
  if (schedule.pack_output) return "packing the output";
  if (const auto* gemm = std::get_if<GemmShape>(&problem);
      gemm != nullptr && (gemm->ta || gemm->tb))
    return "transposed matrices";
  for (const Specifier& loop : schedule.loops) {
    if (!find_letter(problem, loop.dim)) return "a loop over " + loop.dim + ", which has no letter";
    if (loop.kind == Kind::parallel) return "a parallel loop";
    if (loop.kind == Kind::rest) return "a loop over the rest of " + loop.dim;
  }
  return std::nullopt;
}

std::string to_scheme(const Schedule& schedule, const Problem& problem) {
  std::string text, hoisted;
  // `is_outside` becomes true at the first loop outside the register tile and its reductions.
  bool is_outside = false;
  for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop) {
    const Letter& letter = *find_letter(problem, loop->dim);
    const bool in_tile = loop->kind == Kind::unroll || loop->kind == Kind::vector;
    const bool is_sum = letter.reduction && loop->kind == Kind::tile;
    if (!is_outside && !in_tile && !is_sum) {
      is_outside = true;
      if (!hoisted.empty()) append(text, "Hoist_vars [" + hoisted + "]");
    }
    if (!is_outside && is_sum) append(hoisted, letter.theirs);
    append(text, specifier_text(*loop, letter.theirs));
  }
  if (!is_outside && !hoisted.empty()) append(text, "Hoist_vars [" + hoisted + "]");
  return "[" + text + "]";
}

std::optional<std::string> why_no_xtc(const Schedule& schedule, const Computation& computation,
                                      int lanes) {
  if (auto why = why_no_linalg(schedule, computation, lanes)) return why;
  if (const auto* conv = std::get_if<ConvShape>(&computation.problem))
    for (const Axis& axis : {conv->height, conv->width})
      if (axis.stride != 1 || axis.dilation != 1) return "strides and dilations";
  for (const Specifier& loop : schedule.loops) {
    if (!find_letter(computation.problem, loop.dim))
      return "a loop over " + loop.dim + ", which has no letter";
    if (loop.kind == Kind::rest) return "a loop over the rest of " + loop.dim;
    if (loop.is_lambda()) return "an uneven split";
  }
  return std::nullopt;
}

std::string to_xtc(const Schedule& schedule, const Problem& problem, int lanes) {
  std::string text;
  for (auto loop = schedule.loops.rbegin(); loop != schedule.loops.rend(); ++loop)
    append(text, xtc_atom(*loop, find_letter(problem, loop->dim)->theirs, lanes));
  return "[" + text + "]";
}

}  // namespace tileplan
