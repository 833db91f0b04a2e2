// SPDX-License-Identifier: Apache-2.0
// This file makes one schedule for each outer loop inside which an operand may be packed, for
// operands that are packed as a whole, and for weights that are read in place.
#include "packing.h"

#include "tensor_layout.h"

namespace tileplan {
namespace {

using Loops = std::vector<Specifier>;

/// Returns the number of loops outside all lists of blocks (lambdas) and outside the reductions
/// around the register tile.
std::size_t outer_loops(const Computation& computation, const Schedule& schedule) {
  const Loops& loops = schedule.loops;
  std::size_t count = 0;
  while (count < loops.size() && loops[count].kind == Kind::tile) ++count;
  const bool lambda = count < loops.size() && loops[count].is_lambda();
  const auto is_sum = [&](const Specifier& loop) {
    return computation.role(computation.dim(loop.dim)) == Role::reduction;
  };
  while (!lambda && count > 0 && is_sum(loops[count - 1])) --count;
  return count;
}

/// Returns true when kernels for `unit` can read plain weights in place. With AVX2, kernels mask
/// the last vector of the input or of the weights, but not of both.
bool reads_in_place(const Computation& computation, const VectorUnit& unit, Dim vectorised) {
  const TensorAccess& weights = computation.tensor(Operand::weights);
  const bool is_cut = computation.extent(vectorised) % unit.lanes != 0 &&
                      is_present(weights, vectorised) &&
                      is_present(computation.tensor(Operand::input), vectorised);
  return !(is_cut && unit.isa == Isa::avx2) &&
         holds_vectors(weights, layout_of(computation, Operand::weights, Layout::plain), vectorised,
                       unit.lanes);
}

}  // namespace

std::vector<Schedule> input_packings(const Computation& computation, const Schedule& schedule) {
  const TensorAccess& input = computation.tensor(Operand::input);
  std::vector<Schedule> variants;
  const Role vectorised = computation.role(computation.dim(schedule.loops.back().dim));
  if (vectorised == Role::batch || !is_packable(input)) return variants;
  const std::size_t outer = outer_loops(computation, schedule);
  for (std::size_t i = 0; i < outer; ++i) {
    if (!is_present(input, computation.dim(schedule.loops[i].dim))) continue;
    variants.push_back(schedule);
    variants.back().pack_input = static_cast<int>(i);
  }
  if (!variants.empty() || vectorised != Role::pixel) return variants;
  variants.push_back(schedule);
  Loops& loops = variants.back().loops;
  loops.insert(loops.begin(),
               {.kind = Kind::tile, .dim = computation.names.front(), .count = 1, .parts = {}});
  variants.back().pack_input = 0;
  return variants;
}

std::vector<Schedule> plain_weights_forms(const Computation& computation, const VectorUnit& unit,
                                          const Schedule& schedule) {
  const TensorAccess& weights = computation.tensor(Operand::weights);
  const std::size_t outer = outer_loops(computation, schedule);
  std::vector<Schedule> forms;
  forms.reserve(outer + 2);
  if (reads_in_place(computation, unit, computation.dim(schedule.loops.back().dim))) {
    forms.push_back(schedule);
    forms.back().weights_in_place = true;
  }
  for (std::size_t i = 0; i < outer; ++i) {
    if (!is_present(weights, computation.dim(schedule.loops[i].dim))) continue;
    forms.push_back(schedule);
    forms.back().pack_weights = static_cast<int>(i);
  }
  Schedule& whole = forms.emplace_back(schedule);
  whole.pack_weights = 0;
  if (schedule.loops.front().kind == Kind::tile && schedule.loops.front().count == 1) return forms;
  whole.loops.insert(
      whole.loops.begin(),
      {.kind = Kind::tile, .dim = computation.names.front(), .count = 1, .parts = {}});
  if (whole.pack_input) ++*whole.pack_input;
  return forms;
}

}  // namespace tileplan
