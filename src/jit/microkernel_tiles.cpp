// SPDX-License-Identifier: Apache-2.0
// A tile holds neighbouring pixels, so a register tile has at least one for each of its rows.
#include "microkernel_tiles.h"

#include <algorithm>

#include "throughput.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

bool are_alike(PixelSet set, int a, int b) { return (set >> a & 1U) == (set >> b & 1U); }

/// Returns true when no set of pixels in the code has only one of the pixels `a` and `b`.
bool are_alike(const ReductionCode& code, int a, int b) {
  const auto keeps = [=](PixelSet set) { return are_alike(set, a, b); };
  const auto keeps_step = [=](const UnrolledStep& step) { return keeps(step.pixels); };
  return std::ranges::all_of(code.bodies, keeps) &&
         std::ranges::all_of(code.unrolled, [&](const std::vector<UnrolledStep>& steps) {
           return std::ranges::all_of(steps, keeps_step);
         });
}

}  // namespace

std::int64_t tile_row_stride(const MicrokernelSpec& spec) {
  return spec.input_offsets.size() > 1 ? spec.input_offsets[1] - spec.input_offsets[0] : 0;
}

std::vector<PixelRange> tile_groups(const MicrokernelSpec& spec) {
  const int pixels = static_cast<int>(spec.input_offsets.size());
  const auto follows = [&](int pixel) {
    const auto at = static_cast<std::size_t>(pixel);
    return spec.input_offsets[at] - spec.input_offsets[at - 1] == tile_row_stride(spec) &&
           are_alike(spec.reduction, pixel - 1, pixel);
  };
  std::vector<PixelRange> groups;
  for (int first = 0, end = 0; first < pixels; first = end) {
    for (end = first + 1; end < pixels && follows(end);) ++end;
    int at = first;
    for (const int rows : split_into_tiles(end - first)) {
      groups.push_back({at, rows});
      at += rows;
    }
  }
  return groups;
}

void check_tiles(const MicrokernelSpec& spec) {
  if (spec.input_vectors.stride != 0 || !spec.broadcasts.weights.empty())
    throw Error("schedule: isa=amx with vectors of the input; must have vectors of weights");
  const std::vector<PixelRange> groups = tile_groups(spec);
  const int count = static_cast<int>(groups.size());
  const bool streams = streams_input(count, spec.vectors);
  const int tiles = count * spec.vectors + (streams ? spec.vectors : count) + 1;
  const bool unequal = std::ranges::any_of(
      groups, [&](const PixelRange& group) { return group.count != groups.front().count; });
  if (tiles <= kTileRegisters && !(streams && unequal)) return;
  throw Error("schedule: register tile of " + std::to_string(count) + " rows of pixels x " +
              std::to_string(spec.vectors) + " vectors" +
              (unequal ? " with rows of different lengths" : "") + "; amx has only " +
              std::to_string(kTileRegisters) + " tiles");
}

}  // namespace tileplan
