// SPDX-License-Identifier: Apache-2.0
// Types without an instruction of their own are widened: bf16 and f16 to f32, and bytes to s16.
#include "loop_types.h"

#include "tileplan/error.h"

namespace tileplan {
namespace {

constexpr int kPair = 2, kQuad = 4;
constexpr int kTileRowBytes = 64;

bool is_byte(ElementType type) { return type == ElementType::u8 || type == ElementType::s8; }

LoopTypes widened(Arithmetic arithmetic, ElementType type, ElementType sums, int strip) {
  return {.arithmetic = arithmetic, .input = type, .weights = type, .sums = sums, .strip = strip};
}

/// Returns the products of bytes. One factor of vpdpbusd is u8 and the other s8, so if both tensors
/// are u8 or both are s8, the highest bits of the input are inverted. NEON multiplies bytes of any
/// signs.
LoopTypes products_of_bytes(const TensorTypes& types, Isa isa) {
  const bool any_signs = isa == Isa::neon;
  return {.arithmetic = Arithmetic::dot_bytes,
          .input = types.input,
          .weights = types.weights,
          .sums = ElementType::s32,
          .strip = kQuad,
          .flips_input = !any_signs && types.input == types.weights,
          .unsigned_weights = !any_signs && types.weights == ElementType::u8};
}

/// Returns the products of tiles, whose instructions exist for bytes of any signs.
LoopTypes products_of_tiles(const TensorTypes& types, const VectorUnit& unit) {
  using enum ElementType;
  if (is_byte(types.input) && unit.dots.integers)
    return {.arithmetic = Arithmetic::tile_bytes,
            .input = types.input,
            .weights = types.weights,
            .sums = s32,
            .strip = kTileRowBytes};
  if (types.input == bf16 && unit.dots.bf16)
    return widened(Arithmetic::tile_bf16, bf16, f32, kTileRowBytes / kPair);
  throw Error("element types " + to_string(types) + " have no kernels for amx; must be bytes" +
              (unit.dots.bf16 ? " or bf16" : ""));
}

LoopTypes products_on(const TensorTypes& types, const VectorUnit& unit) {
  using enum ElementType;
  const ElementType sums = accumulator_of(types);
  if (unit.isa == Isa::amx) return products_of_tiles(types, unit);
  if (types == f32 || types == f64) return widened(Arithmetic::fma, sums, sums, 1);
  // C for NEON has strips on every CPU, because the compiler chooses the instructions for them.
  const bool is_neon = unit.isa == Isa::neon;
  if (types.input == bf16 && (unit.dots.bf16 || is_neon) && !unit.dots.widens_bf16)
    return widened(Arithmetic::dot_bf16, bf16, f32, kPair);
  if (types.input == bf16 || types.input == f16)
    return widened(Arithmetic::widened_fma, f32, f32, 1);
  if (types.input == s32) return widened(Arithmetic::multiply_s32, s32, s32, 1);
  if (is_byte(types.input) && (unit.dots.integers || is_neon))
    return products_of_bytes(types, unit.isa);
  return widened(Arithmetic::dot_s16, s16, s32, kPair);
}

}  // namespace

LoopTypes loop_types(const TensorTypes& types, const VectorUnit& unit) {
  LoopTypes loops = products_on(types, unit);
  loops.fused_conversions =
      unit.dots.fused_conversions && (unit.isa == Isa::avx512 || unit.isa == Isa::avx512vl);
  return loops;
}

bool has_tiles(const TensorTypes& types, const VectorUnit& tiles) {
  return (is_byte(types.input) && tiles.dots.integers) ||
         (types.input == ElementType::bf16 && tiles.dots.bf16);
}

int instructions_of(Arithmetic arithmetic, const DotProducts& dots) {
  const bool is_emulated = arithmetic == Arithmetic::dot_s16 && !dots.integers;
  return arithmetic == Arithmetic::multiply_s32 || is_emulated ? 2 : 1;
}

}  // namespace tileplan
