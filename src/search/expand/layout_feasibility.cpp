// SPDX-License-Identifier: Apache-2.0
// Each step of a loop must change addresses by a constant, except in reductions around the register
// tile. Instructions must be able to address all elements of a register tile. Few indices of the
// input may lie in padding. Vectors of pixels must be contiguous and must not read padding, unless
// the input is packed.
#include "layout_feasibility.h"

#include <algorithm>
#include <utility>

#include "guards.h"
#include "nest.h"
#include "repack.h"
#include "tensor_layout.h"

namespace tileplan {
namespace {

/// Returns the reason why a loop at position `outermost` or inside it would cut a block of the
/// layout, or empty text. Reduction loops around the register tile become lists of runs, which may
/// start and end anywhere.
std::string why_cut(const Computation& computation, const Nest& branch, Operand operand,
                    const TensorLayout& layout, std::size_t outermost = 0) {
  Tile covered = branch.base;
  bool in_runs = true;
  for (std::size_t i = branch.loops.size(); i-- > outermost;) {
    const NestLoop& loop = branch.loops[i];
    if (!loop.is_active()) continue;
    in_runs = in_runs && computation.role(loop.dim) == Role::reduction;
    const std::int64_t step = covered[loop.dim];
    covered[loop.dim] *= loop.trips;
    if (!in_runs && cut_block(computation, operand, layout, {loop.dim, loop.trips, step}))
      return "a tile of " + computation.name(loop.dim) + " cuts the blocks of the layout";
  }
  return "";
}

std::string why_cut(const Computation& computation, const std::vector<Branch>& branches,
                    Operand operand, const TensorLayout& layout) {
  for (const Branch& branch : branches)
    if (std::string cut = why_cut(computation, branch.nest, operand, layout); !cut.empty())
      return cut;
  return "";
}

/// Returns the reason why a part of a list of blocks of `nest` would begin inside a block of the
/// layout, or empty text.
std::string why_part_cut(const Computation& computation, const Nest& nest, Operand operand,
                         const TensorLayout& layout) {
  for (const NestLoop& loop : nest.loops)
    if (loop.is_lambda() && cut_block(computation, operand, layout, loop.dim, loop.parts))
      return "a part of L(" + computation.name(loop.dim) + ") begins inside a block of the layout";
  return "";
}

/// Returns the reason why vectors of pixels cannot be read from packed boxes, or empty text.
std::string unreadable_in_boxes(const Computation& computation, std::size_t outside,
                                const std::vector<Branch>& branches) {
  for (const Branch& branch : branches) {
    const TensorLayout packed =
        packed_layout(computation, box_inside(branch.nest, outside), branch.nest.vectorised);
    if (!why_cut(computation, branch.nest, Operand::input, packed, outside).empty())
      return "a loop over the filter cuts the phases of a packed strided input";
  }
  return "";
}

/// Returns the reason why vectors of pixels cannot be read in place, or empty text.
std::string unreadable_in_place(const Computation& computation, const TensorLayout& input,
                                Dim vectorised) {
  const std::vector<DataDim>& data = computation.tensor(Operand::input).data;
  for (std::size_t a = 0; a < data.size(); ++a)
    for (const Term& term : data[a].terms) {
      if (term.dim != vectorised) continue;
      if (data[a].clipped) return "vectors of pixels read padding of an input that is not packed";
      if (input.axes[a].block != 0 || input.axes[a].offset(term.coefficient) != 1)
        return "vectors of pixels are not contiguous in an input that is not packed";
    }
  return "";
}

/// Returns the reason why instructions cannot address a register tile, or empty text.
std::string too_far(const Computation& computation, const Marks& marks,
                    const std::vector<Branch>& branches, const TensorLayout& output) {
  const TensorLayout input = read_layout(computation, marks, branches.front().nest);
  for (const Branch& branch : branches)
    for (const auto& [operand, layout] :
         {std::pair{Operand::input, &input}, {Operand::output, &output}})
      if (tile_reach(computation, operand, *layout, branch.nest.base) > kFarthestTile)
        return "one register tile reaches over more than " + std::to_string(kFarthestTile) +
               " bytes of a tensor";
  return "";
}

/// Returns the reason why kernels cannot test which inputs lie in padding, or empty text.
std::string too_many_guards(const Computation& computation, Dim vectorised) {
  const auto guarded = std::ranges::count_if(
      computation.tensor(Operand::input).data,
      [&](const DataDim& data) { return is_guarded(computation, data, vectorised); });
  if (guarded <= kMaxGuards) return "";
  return "more than " + std::to_string(kMaxGuards) + " indices of the input lie in padding";
}

}  // namespace

std::string why_infeasible(const Computation& computation, const Marks& marks, const Nest& nest,
                           const std::vector<Branch>& branches, const TensorLayout& input) {
  const Nest& first = branches.front().nest;
  const TensorLayout output = layout_of(
      computation, Operand::output, layout_in_loops(computation, marks, first, Operand::output));
  std::string why = why_cut(computation, branches, Operand::input, input);
  if (why.empty()) why = why_cut(computation, branches, Operand::output, output);
  if (why.empty()) why = why_part_cut(computation, nest, Operand::input, input);
  if (why.empty()) why = why_part_cut(computation, nest, Operand::output, output);
  if (why.empty()) why = too_far(computation, marks, branches, output);
  const Dim vectorised = first.vectorised;
  if (why.empty()) why = too_many_guards(computation, vectorised);
  if (!why.empty() || computation.role(vectorised) != Role::pixel) return why;
  if (!marks.pack_input) return unreadable_in_place(computation, input, vectorised);
  return unreadable_in_boxes(computation, loops_around_box(marks, first), branches);
}

}  // namespace tileplan
