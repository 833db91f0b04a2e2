// SPDX-License-Identifier: Apache-2.0
// Packed weights (weights_order.h) are an array with the indices [group of channels][other batch
// and channel dimensions][channel block][reduction step][channel of the block]. The steps of a loop
// are adjacent in packed weights when the loop runs over channels outside the whole reduction, or
// over the reduction outside one register tile. Steps over pixels are adjacent in nhwc when each
// step reads whole rows.
#include "next_tile_prefetch.h"

#include <algorithm>
#include <limits>
#include <string>

#include "branches.h"
#include "footprint.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

// One prefetch instruction loads a cache line, which has 64 bytes on x86 and on most AArch64 CPUs.
constexpr std::int64_t kPrefetchedBytes = 64;

[[noreturn]] void refuse(int position, const std::string& why) {
  throw Error("schedule: ahead=" + std::to_string(position) + ", " + why);
}

[[noreturn]] void refuse_place(int position) {
  refuse(position, "which is no loop around microkernel calls; must be");
}

/// Describes the data that one iteration of a loop reads. The data span `block` elements, and the
/// data of the next iteration start `stride` elements later.
struct LoopStep {
  std::int64_t stride = 1, block = 1;
  std::int64_t read = 0;  ///< Counts the input elements that the iteration reads, without gaps.

  /// Returns true when iterations read contiguous ranges that overlap or are adjacent.
  bool is_contiguous() const { return read >= block && stride <= block; }
};

LoopStep weights_step(const Computation& computation, const Nest& nest, std::size_t at) {
  const Tile inside = box_inside(nest, at + 1), whole = box_inside(nest, 0);
  const Dim stepping = nest.loops[at].dim;
  const bool reduces = computation.role(stepping) == Role::reduction;
  const Dim blocked = weights_dim(computation, nest.vectorised);
  const std::int64_t group = weights_group(computation, nest);
  const bool steps_over_groups =
      stepping == blocked && group < whole[blocked] && inside[blocked] % group == 0;
  LoopStep step;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    if (!is_present(computation.tensor(Operand::weights), dim)) continue;
    step.block *= inside[dim];
    const bool in_reduction = computation.role(dim) == Role::reduction;
    if (dim == stepping || (reduces && in_reduction)) {
      step.stride *= inside[dim];
    } else if (reduces) {
      step.stride *= dim == blocked ? nest.base[dim] : 1;
    } else if (dim == blocked) {
      step.stride *= group;
    } else if (in_reduction || steps_over_groups || (stepping != blocked && dim > stepping)) {
      step.stride *= whole[dim];
    }
  }
  return step;
}

LoopStep input_step(const Computation& computation, const Nest& nest, std::size_t at,
                    const TensorLayout& layout) {
  const TensorAccess& input = computation.tensor(Operand::input);
  const Tile inside = box_inside(nest, at + 1);
  const Dim stepping = nest.loops[at].dim;
  Tile last = inside;
  for (std::int64_t& size : last.values) --size;
  const auto term = find_term(input, stepping);
  const std::int64_t step = term ? term->coefficient * inside[stepping] : 0;
  return {.stride = term ? layout.axes[term->index].offset(step) : 0,
          .block = 1 + element_at(input, layout, last),
          .read = footprint(input, inside)};
}

/// Returns the reason why loop `at` does not advance over the weights block by block, or empty text
/// when it does.
std::string why_not_weights(const Computation& computation, const Nest& nest, std::size_t at) {
  const LoopStep step = weights_step(computation, nest, at);
  if (step.block == 0) return "inside a lambda over the weights; must be outside";
  if (step.stride == step.block) return "";
  return "whose steps need " + std::to_string(step.block) + " weights and are " +
         std::to_string(step.stride) + " apart in packed weights; must be equal";
}

/// Returns the reason why the input that loop `at` reads cannot be prefetched, or empty text.
/// Unless vectors hold pixels, iterations must read contiguous ranges that overlap or are adjacent.
std::string why_not_input(const Computation& computation, const Nest& nest, std::size_t at,
                          const TensorLayout& layout) {
  const LoopStep step = input_step(computation, nest, at, layout);
  if (step.read == 0) return "inside a lambda over the input; must be outside";
  const bool of_pixels = computation.role(nest.vectorised) == Role::pixel;
  if (step.stride <= 0 || (!of_pixels && !step.is_contiguous()))
    return "whose steps read " + std::to_string(step.read) + " elements of the input out of " +
           std::to_string(step.block) + " and are " + std::to_string(step.stride) +
           " apart; must read all of them and be no further apart";
  return "";
}

std::string why_not(const Computation& computation, const Nest& nest, std::size_t at,
                    const std::optional<TensorLayout>& input) {
  const NestLoop& loop = nest.loops[at];
  const bool reads = is_present(computation.tensor(Operand::weights), loop.dim) ||
                     is_present(computation.tensor(Operand::input), loop.dim);
  if (loop.is_lambda() || !reads)
    return "which is no loop with equal steps over the weights or the input; must be";
  if (next_tile_operand(computation, nest, static_cast<int>(at)) == Operand::weights)
    return why_not_weights(computation, nest, at);
  if (!input) return "which steps over the input, but that is packed; must step over the weights";
  return why_not_input(computation, nest, at, *input);
}

}  // namespace

Operand next_tile_operand(const Computation& computation, const Nest& nest, int position) {
  const auto at = static_cast<std::size_t>(position);
  if (at >= nest.loops.size()) refuse_place(position);
  return is_present(computation.tensor(Operand::weights), nest.loops[at].dim) ? Operand::weights
                                                                              : Operand::input;
}

double next_tile_bytes(const Computation& computation, const Nest& nest,
                       const std::optional<TensorLayout>& input, int position) {
  const auto at = static_cast<std::size_t>(position);
  const Operand operand = next_tile_operand(computation, nest, position);
  double elements = 0;
  if (operand == Operand::weights)
    elements = static_cast<double>(weights_step(computation, nest, at).block);
  else if (input)
    elements = static_cast<double>(input_step(computation, nest, at, *input).read);
  return static_cast<double>(computation.tensor(operand).element_bytes()) * elements;
}

std::optional<NextTilePrefetch> plan_next_tile_prefetch(const Computation& computation,
                                                        const Nest& nest, std::size_t begin,
                                                        const std::optional<TensorLayout>& input,
                                                        const std::optional<int>& position) {
  if (!position) return std::nullopt;
  const auto at = static_cast<std::size_t>(*position);
  if (at >= begin) refuse_place(*position);
  const std::string why = why_not(computation, nest, at, input);
  if (!why.empty()) refuse(*position, why);
  const Operand operand = next_tile_operand(computation, nest, *position);
  const bool weights = operand == Operand::weights;
  const LoopStep step =
      weights ? weights_step(computation, nest, at) : input_step(computation, nest, at, *input);
  std::int64_t fewest_calls = std::numeric_limits<std::int64_t>::max();
  for (const Branch& branch : branches_of(nest, at))
    fewest_calls = std::min(fewest_calls, iterations_of(branch.nest, at + 1, begin, kAllDims));
  const std::int64_t line = kPrefetchedBytes / computation.tensor(operand).element_bytes();
  return NextTilePrefetch{.loop = at,
                          .operand = operand,
                          .first = step.block,
                          .block = step.stride,
                          .call = round_up(ceil_div(step.stride, fewest_calls), line),
                          .by_steps = !weights && !step.is_contiguous()};
}

std::vector<int> next_tile_prefetch_positions(const Computation& computation, const Nest& nest,
                                              const std::optional<TensorLayout>& input,
                                              const HeldBox& held) {
  std::vector<int> positions;
  const std::size_t outside =
      std::min(loops_outside(computation, nest, held.cut), microkernel_begin(computation, nest));
  for (const Operand wanted : {Operand::weights, Operand::input})
    for (std::size_t i = outside; i-- > 0;) {
      const NestLoop& loop = nest.loops[i];
      const int position = static_cast<int>(i);
      if (!loop.is_active() || next_tile_operand(computation, nest, position) != wanted) continue;
      if (why_not(computation, nest, i, input).empty() &&
          2 * next_tile_bytes(computation, nest, input, position) <= held.bytes)
        positions.push_back(position);
      break;
    }
  return positions;
}

}  // namespace tileplan
