// SPDX-License-Identifier: Apache-2.0
// Packed weights are [outer][channel block][reduction step][channels of the block]: the steps of a
// loop lie behind each other when it goes over channels around the whole reduction, or over the
// reduction around one register tile. Those over pixels do in nhwc when each reads whole rows.
#include "next_tile_prefetch.h"

#include <algorithm>
#include <limits>
#include <string>

#include "branches.h"
#include "footprint.h"
#include "integers.h"
#include "nest.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr std::int64_t kLineBytes = 64;  // what one prefetch brings on x86 and AArch64

[[noreturn]] void refuse(int position, const std::string& why) {
  throw Error("schedule: ahead=" + std::to_string(position) + ", " + why);
}

[[noreturn]] void refuse_place(int position) {
  refuse(position, "which is no loop around microkernel calls; must be");
}

/// What one iteration of loop `at` reads in one stretch of memory, and the distance between two.
struct Steps {
  std::int64_t stride = 1, block = 1;
  std::int64_t read = 0;  ///< elements of the input, without gaps between them

  /// Of the input: each iteration reads a stretch without gaps, padding aside, and the next one
  /// begins in it or at its end.
  bool are_stretches() const { return read >= block && stride <= block; }
};

Steps weights_steps(const Computation& computation, const Nest& nest, std::size_t at) {
  const Tile inside = box_inside(nest, at + 1), whole = box_inside(nest, 0);
  const Dim stepping = nest.loops[at].dim;
  const bool reduces = computation.role(stepping) == Role::reduction;
  const Dim blocked = weights_dim(computation, nest.vectorised);
  Steps steps;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    if (!is_present(computation.tensor(Operand::weights), dim)) continue;
    steps.block *= inside[dim];
    const bool in_reduction = computation.role(dim) == Role::reduction;
    if (dim == stepping || (reduces && in_reduction)) {
      steps.stride *= inside[dim];
    } else if (reduces) {
      steps.stride *= dim == blocked ? nest.base[dim] : 1;
    } else if (in_reduction || (stepping != blocked && (dim == blocked || dim > stepping))) {
      steps.stride *= whole[dim];
    }
  }
  return steps;
}

/// block: from the first to the last element that an iteration reads.
Steps input_steps(const Computation& computation, const Nest& nest, std::size_t at,
                  const TensorLayout& layout) {
  const Tile inside = box_inside(nest, at + 1);
  const std::vector<DataDim>& data = computation.tensor(Operand::input).data;
  Steps steps{
      .stride = 0, .block = 1, .read = footprint(computation.tensor(Operand::input), inside)};
  for (std::size_t a = 0; a < data.size(); ++a) {
    std::int64_t last = 0;
    for (const Term& term : data[a].terms) {
      last += term.coefficient * (inside[term.dim] - 1);
      if (term.dim == nest.loops[at].dim)
        steps.stride += layout.axes[a].offset(term.coefficient * inside[term.dim]);
    }
    steps.block += layout.axes[a].offset(last);
  }
  return steps;
}

/// Why loop `at` does not step over the weights from one block to the next; empty when it does.
std::string broken_weights(const Computation& computation, const Nest& nest, std::size_t at) {
  const Steps steps = weights_steps(computation, nest, at);
  if (steps.block == 0) return "inside a lambda over the weights; must be outside";
  if (steps.stride == steps.block) return "";
  return "whose steps need " + std::to_string(steps.block) + " weights and are " +
         std::to_string(steps.stride) + " apart in packed weights; must be equal";
}

/// As broken_weights of the input: no stretches, nor vectors of pixels.
std::string broken_input(const Computation& computation, const Nest& nest, std::size_t at,
                         const TensorLayout& layout) {
  const Steps steps = input_steps(computation, nest, at, layout);
  if (steps.read == 0) return "inside a lambda over the input; must be outside";
  const bool of_pixels = computation.role(nest.vectorised) == Role::pixel;
  if (steps.stride <= 0 || (!of_pixels && !steps.are_stretches()))
    return "whose steps read " + std::to_string(steps.read) + " elements of the input out of " +
           std::to_string(steps.block) + " and are " + std::to_string(steps.stride) +
           " apart; must read all of them and be no further apart";
  return "";
}

std::string broken(const Computation& computation, const Nest& nest, std::size_t at,
                   const std::optional<TensorLayout>& input) {
  const NestLoop& loop = nest.loops[at];
  const bool steps = is_present(computation.tensor(Operand::weights), loop.dim) ||
                     is_present(computation.tensor(Operand::input), loop.dim);
  if (loop.is_lambda() || !steps)
    return "which is no loop with equal steps over the weights or the input; must be";
  if (ahead_operand(computation, nest, static_cast<int>(at)) == Operand::weights)
    return broken_weights(computation, nest, at);
  if (!input) return "which steps over the input, but that is packed; must step over the weights";
  return broken_input(computation, nest, at, *input);
}

}  // namespace

Operand ahead_operand(const Computation& computation, const Nest& nest, int position) {
  const auto at = static_cast<std::size_t>(position);
  if (at >= nest.loops.size()) refuse_place(position);
  const bool of_weights = is_present(computation.tensor(Operand::weights), nest.loops[at].dim);
  return of_weights ? Operand::weights : Operand::input;
}

std::optional<Ahead> plan_ahead(const Computation& computation, const Nest& nest, std::size_t band,
                                const std::optional<TensorLayout>& input,
                                const std::optional<int>& position) {
  if (!position) return std::nullopt;
  const auto at = static_cast<std::size_t>(*position);
  if (at >= band) refuse_place(*position);
  const std::string why = broken(computation, nest, at, input);
  if (!why.empty()) refuse(*position, why);
  Ahead ahead{.loop = at, .operand = ahead_operand(computation, nest, *position)};
  const bool weights = ahead.operand == Operand::weights;
  const Steps steps =
      weights ? weights_steps(computation, nest, at) : input_steps(computation, nest, at, *input);
  ahead.first = steps.block;
  ahead.block = steps.stride;
  ahead.by_steps = !weights && !steps.are_stretches();
  std::int64_t calls = std::numeric_limits<std::int64_t>::max();  // fewest over parts of lambdas
  for (const Branch& branch : branches_of(nest, at))
    calls = std::min(calls, calls_inside(branch.nest, at, band));
  ahead.call = round_up(ceil_div(ahead.block, calls), kLineBytes / computation.element_bytes());
  return ahead;
}

std::vector<int> ahead_positions(const Computation& computation, const Nest& nest,
                                 const std::optional<TensorLayout>& input, const Tile& cut) {
  std::vector<int> positions;
  const std::size_t outside =
      std::min(loops_outside(computation, nest, cut), reduction_band(computation, nest));
  for (const Operand wanted : {Operand::weights, Operand::input})
    for (std::size_t i = outside; i-- > 0;) {
      const NestLoop& loop = nest.loops[i];
      const int position = static_cast<int>(i);
      if (!loop.is_active() || ahead_operand(computation, nest, position) != wanted) continue;
      if (broken(computation, nest, i, input).empty()) positions.push_back(position);
      break;
    }
  return positions;
}

}  // namespace tileplan
