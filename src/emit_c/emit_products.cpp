// SPDX-License-Identifier: Apache-2.0
// Each row of the table is one way to add products of strips to sums. The C compiler takes the
// first row for the element types and the processor family whose instructions it may use. If there
// is none, and in scalar C, elements are widened to 32 bits by shifts.
#include <string>
#include <vector>

#include "emit_parts.h"

namespace tileplan {
namespace {

enum class Family { x86, neon };

/// Names the element types of the two factors of a product. An unsigned factor comes first.
enum class Factors { u8s8, s8s8, u8u8, s16, bf16 };

/// Describes instructions that add products of the strips x and w to `sum`. In the text, @ stands
/// for the number of bits of a vector.
struct ProductRow {
  Factors factors;
  Family family;
  const char* condition;  ///< The instructions exist if this preprocessor condition is true.
  const char* text;
};

constexpr ProductRow kRows[] = {
    {Factors::u8s8, Family::x86, "defined(__AVX512VNNI__)",
     "(sum) = (vec)_mm@_dpbusd_epi32((__m@i)(sum), (__m@i)(x), (__m@i)(w))"},
    // Even and odd bytes are widened to pairs of 16 bits, because vpmaddubsw would saturate the
    // sums of products.
    {Factors::u8s8, Family::x86, "1",
     "(sum) += (vec)_mm@_madd_epi16((__m@i)((x) & 0x00ff00ffu), "
     "_mm@_srai_epi16(_mm@_slli_epi16((__m@i)(w), 8), 8)) + "
     "(vec)_mm@_madd_epi16((__m@i)((x) >> 8 & 0x00ff00ffu), _mm@_srai_epi16((__m@i)(w), 8))"},
    {Factors::s16, Family::x86, "defined(__AVX512VNNI__) && defined(__AVX512VL__)",
     "(sum) = (vec)_mm@_dpwssd_epi32((__m@i)(sum), (__m@i)(x), (__m@i)(w))"},
    {Factors::s16, Family::x86, "1", "(sum) += (vec)_mm@_madd_epi16((__m@i)(x), (__m@i)(w))"},
    {Factors::bf16, Family::x86, "defined(__AVX512BF16__)",
     "(sum) = (vec)_mm@_dpbf16_ps((__m@)(sum), (__m@bh)(x), (__m@bh)(w))"},
    {Factors::u8s8, Family::neon, "defined(__ARM_FEATURE_MATMUL_INT8)",
     "(sum) = (vec)vusdotq_s32((int32x4_t)(sum), (uint8x16_t)(x), (int8x16_t)(w))"},
    // The CPU multiplies s8 by s8, so 128 is subtracted from u8 and the products of w by -128 are
    // subtracted from the sums.
    {Factors::u8s8, Family::neon, "defined(__ARM_FEATURE_DOTPROD)",
     "(sum) = (vec)vdotq_s32((int32x4_t)(sum), (int8x16_t)((x) ^ 0x80808080u), (int8x16_t)(w)) - "
     "(vec)vdotq_s32(vdupq_n_s32(0), vdupq_n_s8(-128), (int8x16_t)(w))"},
    {Factors::s8s8, Family::neon, "defined(__ARM_FEATURE_DOTPROD)",
     "(sum) = (vec)vdotq_s32((int32x4_t)(sum), (int8x16_t)(x), (int8x16_t)(w))"},
    {Factors::u8u8, Family::neon, "defined(__ARM_FEATURE_DOTPROD)",
     "(sum) = (vec)vdotq_u32((uint32x4_t)(sum), (uint8x16_t)(x), (uint8x16_t)(w))"},
    {Factors::s16, Family::neon, "defined(__aarch64__)",
     "(sum) += (vec)vpaddq_s32("
     "vmull_s16(vget_low_s16((int16x8_t)(x)), vget_low_s16((int16x8_t)(w))), "
     "vmull_high_s16((int16x8_t)(x), (int16x8_t)(w)))"},
    // These instructions keep subnormal numbers and round each sum, as multiply-adds of f32 do.
    {Factors::bf16, Family::neon, "defined(__ARM_FEATURE_BF16_VECTOR_ARITHMETIC)",
     "(sum) = (vec)vbfmlalbq_f32(vbfmlaltq_f32((float32x4_t)(sum), (bfloat16x8_t)(x), "
     "(bfloat16x8_t)(w)), (bfloat16x8_t)(x), (bfloat16x8_t)(w))"},
};

/// Returns the factors of a product of `types`. Requires: strips have several elements.
Factors factors_of(const LoopTypes& types) {
  if (types.weights == ElementType::bf16) return Factors::bf16;
  if (types.weights == ElementType::s16) return Factors::s16;
  if (types.flips_input || types.input != types.weights) return Factors::u8s8;
  return types.input == ElementType::u8 ? Factors::u8u8 : Factors::s8s8;
}

/// Returns C text for one element of `strip`, widened to the type of the sums. The highest bit of
/// the element is `above` bits below the highest bit of the strip.
std::string element_text(const char* strip, int above, int bits, bool is_signed) {
  const std::string high = std::string("(") + strip + ") << " + std::to_string(above);
  const std::string down = " >> " + std::to_string(32 - bits);
  return is_signed ? "(vec)((signed_strips)(" + high + ")" + down + ")"
                   : "((" + high + ")" + down + ")";
}

/// Returns C text that adds the products of strips to `sum` without intrinsics. Each element is
/// widened to 32 bits first.
std::string shifted_text(Factors factors) {
  if (factors == Factors::bf16)
    return "(sum) += FLOATS((x) & 0xffff0000u) * FLOATS((w) & 0xffff0000u); "
           "(sum) += FLOATS((x) << 16) * FLOATS((w) << 16)";
  const int bits = factors == Factors::s16 ? 16 : 8;
  const bool unsigned_x = factors == Factors::u8s8 || factors == Factors::u8u8;
  std::string text = "(sum) += ";
  for (int above = 32 - bits; above >= 0; above -= bits)
    text += element_text("x", above, bits, !unsigned_x) + " * " +
            element_text("w", above, bits, factors != Factors::u8u8) + (above > 0 ? " + " : "");
  return text;
}

/// Replaces @ in `text` by `bits`, the width of a vector in bits, which is part of the names of
/// functions and types.
std::string with_width(const std::string& text, int bits) {
  std::string result;
  for (const char each : text) result += each == '@' ? std::to_string(bits) : std::string(1, each);
  return result;
}

void emit_choices(CWriter& out, const std::vector<std::pair<std::string, std::string>>& choices) {
  const std::string define = "#define ADD_PRODUCTS(sum, x, w) do { ", end = "; } while (0)";
  if (choices.size() == 1) return out.line(define + choices.front().second + end);
  bool first = true;
  for (const auto& [condition, text] : choices) {
    const std::string branch = condition == "1" ? "#else" : first ? "#if " : "#elif ";
    out.directive(condition == "1" ? branch : branch + condition);
    out.line(define + text + end);
    first = false;
  }
  out.directive("#endif");
}

}  // namespace

void emit_strip_types(CWriter& out, const EmitContext& context, const TargetRow& row) {
  const bool is_x86 = isa_of(row.target) && row.target != Target::neon;
  if (is_x86) out.directive("#include <immintrin.h>");
  if (row.target == Target::neon) out.directive("#ifdef __ARM_NEON\n#include <arm_neon.h>\n#endif");
  out.line("/* Loops read strips of 4 bytes: " + std::to_string(context.stages->types.strip) +
           " channels whose products are added to one sum. */");
  out.line("typedef uint32_t strip __attribute__((aligned(1), may_alias));");
  const std::string vector =
      context.lanes == 1 ? ""
                         : " __attribute__((vector_size(" + std::to_string(context.lanes) + " * 4)";
  const std::string end = context.lanes == 1 ? ";" : "));";
  out.line("typedef uint32_t strips" +
           (context.lanes == 1 ? std::string(" __attribute__((aligned(1), may_alias));")
                               : vector + ", aligned(1), may_alias));"));
  out.line("typedef int32_t signed_strips" + vector + end);
}

void emit_products(CWriter& out, const EmitContext& context, const TargetRow& row) {
  const LoopTypes& types = context.stages->types;
  const Factors factors = factors_of(types);
  std::string copies = "x_";
  for (int lane = 1; lane < context.lanes; ++lane) copies += ", x_";
  out.line(context.lanes == 1
               ? "#define BROADCAST_STRIP(value) (value)"
               : "#define BROADCAST_STRIP(value) __extension__({ const uint32_t x_ = (value); "
                 "(strips){" +
                     copies + "}; })");
  if (factors == Factors::bf16)
    out.line(std::string("#define FLOATS(bits) ") +
             (context.lanes == 1 ? "float_of_bits(bits)" : "((vec)(bits))"));
  constexpr int kLaneBits = 32;
  const Family family = row.target == Target::neon ? Family::neon : Family::x86;
  std::vector<std::pair<std::string, std::string>> choices;
  for (const ProductRow& each : kRows)
    if (context.lanes > 1 && each.factors == factors && each.family == family)
      choices.emplace_back(each.condition, with_width(each.text, kLaneBits * context.lanes));
  if (choices.empty() || choices.back().first != "1")
    choices.emplace_back("1", shifted_text(factors));
  emit_choices(out, choices);
}

}  // namespace tileplan
