// SPDX-License-Identifier: Apache-2.0
// This file makes one schedule for each outer loop inside which the input may be packed.
#include "input_packing.h"

namespace tileplan {
namespace {

using Loops = std::vector<Specifier>;

/// Returns the number of leading specifiers that are outer loops.
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

}  // namespace

std::vector<Schedule> input_packings(const Computation& computation, const Schedule& schedule) {
  const TensorAccess& input = computation.tensor(Operand::input);
  std::vector<Schedule> variants;
  const Role vectorised = computation.role(computation.dim(schedule.loops.back().dim));
  if (vectorised == Role::batch) return variants;
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

}  // namespace tileplan
