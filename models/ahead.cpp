// SPDX-License-Identifier: Apache-2.0
// Packed weights are [outer][channel block][reduction step][channels of the block]: the steps of a
// loop lie behind each other when it goes over channels around the whole reduction, or over the
// reduction around one register tile.
#include "ahead.h"

#include <algorithm>
#include <limits>
#include <string>

#include "branches.h"
#include "burst.h"
#include "flat.h"
#include "integers.h"
#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr std::int64_t kLine = 16;  // f32 of a 64-byte cache line

[[noreturn]] void refuse(int position, const std::string& why) {
  throw Error("schedule: ahead=" + std::to_string(position) + ", " + why);
}

}  // namespace

std::size_t reduction_band(const Computation& computation, const Nest& nest) {
  std::size_t band = nest.loops.size();
  while (band > 0) {
    const NestLoop& loop = nest.loops[band - 1];
    if (loop.is_active() && role(computation, loop.dim) != Role::reduction) break;
    --band;
  }
  return band;
}

std::int64_t calls_inside(const Nest& nest, std::size_t loop, std::size_t band) {
  return iterations_of(nest, loop + 1, band, kAllDims);
}

namespace {

/// Packed weights between consecutive iterations of loop `at`, and those that one of them reads.
struct Steps {
  std::int64_t stride = 1, block = 1;
};

Steps steps_of(const Computation& computation, const Nest& nest, std::size_t at) {
  const Tile inside = box_inside(nest, at + 1), whole = box_inside(nest, 0);
  const Dim stepping = nest.loops[at].dim;
  const bool reduces = role(computation, stepping) == Role::reduction;
  Steps steps;
  for (int d = 0; d < computation.dims(); ++d) {
    const Dim dim{d};
    if (!is_present(computation.tensors[1], dim)) continue;
    steps.block *= inside[dim];
    const bool in_reduction = role(computation, dim) == Role::reduction;
    if (dim == stepping || (reduces && in_reduction)) {
      steps.stride *= inside[dim];
    } else if (reduces) {
      steps.stride *= dim == nest.vectorised ? nest.base[dim] : 1;
    } else if (in_reduction ||
               (stepping != nest.vectorised && (dim == nest.vectorised || dim > stepping))) {
      steps.stride *= whole[dim];
    }
  }
  return steps;
}

}  // namespace

std::optional<Ahead> plan_ahead(const Computation& computation, const Nest& nest, std::size_t band,
                                const std::optional<int>& position) {
  if (!position) return std::nullopt;
  const auto at = static_cast<std::size_t>(*position);
  if (at >= band) refuse(*position, "which is no loop around microkernel calls; must be");
  const NestLoop& loop = nest.loops[at];
  if (loop.is_lambda() || !is_present(computation.tensors[1], loop.dim))
    refuse(*position, "which is no loop with equal steps over the weights; must be");
  const auto [stride, block] = steps_of(computation, nest, at);
  if (block == 0) refuse(*position, "inside a lambda over the weights; must be outside");
  if (stride != block)
    refuse(*position, "whose steps need " + std::to_string(block) + " weights and are " +
                          std::to_string(stride) + " apart in packed weights; must be equal");
  std::int64_t calls = std::numeric_limits<std::int64_t>::max();  // fewest over parts of lambdas
  for (const Branch& branch : branches_of(nest, at))
    calls = std::min(calls, calls_inside(branch.nest, at, band));
  const std::int64_t share = ceil_div(block, calls);
  return Ahead{.loop = at, .block = block, .call = ceil_div(share, kLine) * kLine};
}

std::optional<int> ahead_position(const Computation& computation, const Nest& nest,
                                  const Tile& cut) {
  const std::size_t outside =
      std::min(loops_outside(computation, nest, cut), reduction_band(computation, nest));
  for (std::size_t i = outside; i-- > 0;) {
    const NestLoop& loop = nest.loops[i];
    if (!loop.is_active() || !is_present(computation.tensors[1], loop.dim)) continue;
    if (loop.is_lambda()) return std::nullopt;
    const auto [stride, block] = steps_of(computation, nest, i);
    if (block == 0 || stride != block) return std::nullopt;
    return static_cast<int>(i);
  }
  return std::nullopt;
}

}  // namespace tileplan
