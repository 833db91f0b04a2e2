// SPDX-License-Identifier: Apache-2.0
// Conversions in registers save a pass over the sums, which take four bytes each.
#include "fused_conversion.h"

#include <algorithm>

namespace tileplan {
namespace {

/// Returns true when `layout` has no blocks, or when its blocks have no padding.
bool fills_blocks(const Computation& computation, Layout layout) {
  const TensorLayout stored = layout_of(computation, Operand::output, layout);
  const std::vector<DataDim>& data = computation.tensor(Operand::output).data;
  std::int64_t elements = 1;
  for (const DataDim& each : data) elements *= each.extent;
  const bool has_blocks =
      std::ranges::any_of(stored.axes, [](const AxisLayout& axis) { return axis.block != 0; });
  return !has_blocks || stored.elements == elements;
}

/// Returns true when kernels for `unit` have code that converts sums of type `sums` to outputs of
/// `type`.
bool has_code(ElementType sums, ElementType type, const VectorUnit& unit) {
  using enum ElementType;
  if (sums == s32) return type == u8 || type == s8 || type == f32;
  return sums == f32 && (type == f16 || (type == bf16 && unit.dots.bf16));
}

}  // namespace

bool has_fused_conversion(const Computation& computation, const VectorUnit& unit) {
  const TensorAccess& output = computation.tensor(Operand::output);
  if (!unit.dots.fused_conversions || !output.copied) return false;
  if (unit.isa != Isa::avx512 && unit.isa != Isa::avx512vl) return false;
  return has_code(output.type, types_of(computation.problem).output, unit);
}

bool converts_in_registers(const Computation& computation, const Marks& schedule, const Nest& nest,
                           const VectorUnit& unit) {
  if (!has_fused_conversion(computation, unit)) return false;
  if (schedule.winograd || schedule.nontemporal || schedule.pack_output) return false;
  if (computation.role(nest.vectorised) == Role::pixel) return false;
  return fills_blocks(computation, schedule.out);
}

}  // namespace tileplan
