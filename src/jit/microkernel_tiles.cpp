// SPDX-License-Identifier: Apache-2.0
// A tile of AMX holds pixels that are equally far apart in the input, which mostly are pixels of
// one row.
#include "microkernel_tiles.h"

#include <algorithm>
#include <numeric>

#include "throughput.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

bool are_alike(PixelSet set, int a, int b) { return (set >> a & 1U) == (set >> b & 1U); }

/// Returns true when each set of pixels in the code has both or none of the pixels `a` and `b`.
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

namespace {

/// Returns ranges of pixels that one tile could hold if it had enough rows. Several rows of pixels
/// can be one range if no gaps are between them, for example in a packed copy of the input.
std::vector<PixelRange> runs_of_pixels(const MicrokernelSpec& spec) {
  const int pixels = static_cast<int>(spec.input_offsets.size());
  const auto follows = [&](int pixel) {
    const auto at = static_cast<std::size_t>(pixel);
    return spec.input_offsets[at] - spec.input_offsets[at - 1] == tile_row_stride(spec) &&
           are_alike(spec.reduction, pixel - 1, pixel);
  };
  std::vector<PixelRange> runs;
  for (int first = 0, end = 0; first < pixels; first = end) {
    for (end = first + 1; end < pixels && follows(end);) ++end;
    runs.push_back({first, end - first});
  }
  return runs;
}

bool are_equal(const std::vector<PixelRange>& groups) {
  return std::ranges::all_of(
      groups, [&](const PixelRange& group) { return group.count == groups.front().count; });
}

/// Returns the largest number of rows of a tile that divides the length of each run.
int common_rows(const std::vector<PixelRange>& runs) {
  int divisor = 0;
  for (const PixelRange& run : runs) divisor = std::gcd(divisor, run.count);
  int rows = std::min(divisor, kTileRows);
  while (divisor % rows != 0) --rows;
  return rows;
}

}  // namespace

std::vector<PixelRange> tile_groups(const MicrokernelSpec& spec) {
  const std::vector<PixelRange> runs = runs_of_pixels(spec);
  std::vector<PixelRange> groups;
  for (const PixelRange& run : runs) {
    int at = run.first;
    for (const int rows : split_into_tiles(run.count)) {
      groups.push_back({at, rows});
      at += rows;
    }
  }
  if (are_equal(groups) || !streams_input(static_cast<int>(std::ssize(groups)), spec.vectors))
    return groups;
  // Groups that are loaded one after another share a tile register, whose number of rows is
  // configured once.
  const int rows = common_rows(runs);
  groups.clear();
  for (const PixelRange& run : runs)
    for (int at = run.first; at < run.end(); at += rows) groups.push_back({at, rows});
  return groups;
}

void check_tiles(const MicrokernelSpec& spec) {
  if (spec.input_vectors.stride != 0 || !spec.broadcasts.weights.empty())
    throw Error("schedule: isa=amx with vectors of the input; must have vectors of weights");
  const std::vector<PixelRange> groups = tile_groups(spec);
  const int count = static_cast<int>(groups.size());
  const bool streams = streams_input(count, spec.vectors);
  const int tiles = count * spec.vectors + (streams ? spec.vectors : count) + 1;
  const bool unequal = !are_equal(groups);
  if (tiles <= kTileRegisters && !(streams && unequal)) return;
  throw Error("schedule: register tile of " + std::to_string(count) + " rows of pixels x " +
              std::to_string(spec.vectors) + " vectors" +
              (unequal ? " with rows of different lengths" : "") + "; amx has only " +
              std::to_string(kTileRegisters) + " tiles");
}

}  // namespace tileplan
