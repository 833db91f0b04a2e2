// SPDX-License-Identifier: Apache-2.0
// This file lays out the operands of one row of register tiles, and chooses the lengths of calls.
#include "tile_kernel.h"

#include <algorithm>

namespace tileplan {
namespace {

/// The L1 holds this many vectors of weights in addition to the pixels, unless the tile has one
/// vector and many pixels.
constexpr std::int64_t kWeightVectors = 320;
constexpr int kUnroll = 8;
static_assert(kShortCallSteps == 2 * kUnroll);
/// An AMX tile step takes as long as 16 steps of vectors, so fewer suffice.
constexpr std::int64_t kTileSteps = 8;
constexpr std::int64_t kStepUnit = std::int64_t{4} * kUnroll;

/// Returns the size in bytes of the longest strip that the instructions of `unit` take. A strip is
/// a group of neighbouring channels whose products one instruction adds to the same sum.
std::int64_t strip_bytes(const VectorUnit& unit) {
  constexpr std::int64_t kOfTiles = 64;
  return uses_tiles(unit.arithmetic) ? kOfTiles : kFloatBytes;
}

std::int64_t row_bytes(const RegisterTile& tile, const VectorUnit& unit) {
  return kFloatBytes * tile.vectors * unit.lanes;
}

MicrokernelSpec spec_of(const RegisterTile& tile, const VectorUnit& unit, int unroll) {
  MicrokernelSpec spec;
  spec.isa = unit.isa;
  spec.type = unit.element;
  spec.product = {.arithmetic = unit.arithmetic,
                  .two_instructions = instructions_of(unit.arithmetic, unit.dots) == 2,
                  .unsigned_input = true,
                  .strip_bytes = static_cast<int>(strip_bytes(unit))};
  spec.vectors = tile.vectors;
  spec.vector_stride = std::int64_t{unit.lanes} * kFloatBytes;
  spec.reduction.unroll = unroll;
  spec.reduction.step_stride = strip_bytes(unit);
  // One extra vector per pixel avoids strides that are powers of two, whose pixels would share
  // cache sets.
  const std::int64_t pixel_bytes =
      strip_bytes(unit) * most_steps(tile, unit) + kFloatBytes * unit.lanes;
  for (int pixel = 0; pixel < tile.pixels; ++pixel) {
    spec.input_offsets.push_back(pixel * pixel_bytes);
    spec.output_offsets.push_back(pixel * row_bytes(tile, unit));
  }
  spec.reduction.bodies = {all_pixels(tile.pixels)};
  return spec;
}

}  // namespace

std::int64_t most_steps(const RegisterTile& tile, const VectorUnit& unit) {
  if (uses_tiles(unit.arithmetic)) return kTileSteps;
  return std::max(kStepUnit, kWeightVectors / tile.vectors / kStepUnit * kStepUnit);
}

std::int64_t few_steps(const VectorUnit& unit) {
  return uses_tiles(unit.arithmetic) ? kTileSteps / 4 : kShortCallSteps;
}

int unroll_of(const VectorUnit& unit) { return uses_tiles(unit.arithmetic) ? 2 : kUnroll; }

TileKernel::TileKernel(const RegisterTile& tile, const VectorUnit& unit, int unroll)
    : output_bytes_(row_bytes(tile, unit) * tile.pixels),
      pixels_(tile.pixels),
      kernel_(spec_of(tile, unit, unroll)) {}

void TileKernel::run(const TileCall& call) const {
  const ReductionRun run{.steps = call.steps, .body = kernel_.body(all_pixels(pixels_))};
  TileGrid row{.input = call.input,
               .weights = call.weights,
               .output = call.output,
               .runs = &run,
               .count = 1,
               .flags = call.flags,
               .tiles = call.tiles,
               .step = {.output = output_bytes_}};
  kernel_.function()(&row);
}

}  // namespace tileplan
