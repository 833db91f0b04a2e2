// SPDX-License-Identifier: Apache-2.0
// Transformed elements lie in one plane per product of a tile, as in the boxes that kernels read.
#include "transform_cycles.h"

#include <algorithm>
#include <cmath>

#include "buffers.h"
#include "microkernel_spec.h"
#include "straight_line_program.h"
#include "tile_kernel.h"
#include "tile_transform.h"
#include "winograd_points.h"

namespace tileplan {
namespace {

/// With this many channels, two tiles of 8 x 8 fit the first cache level.
constexpr std::int64_t kChannels = 32;
constexpr std::int64_t kLineFloats = 16;  ///< A cache line holds 16 f32.
constexpr double kShareOfSecond = 0.5;    ///< The planes fill this share of the second cache level.
constexpr int kAttempts = 5;              ///< transform_cycles() measures at most this often.
constexpr double kDigits = 100;           ///< Rates are rounded to 1 / kDigits of a cycle.

/// Holds planes of transformed tiles next to one tile of pixels. A plane has one element of each
/// tile in each channel. Planes are an odd multiple of 64 bytes apart, because otherwise their
/// cache lines would compete for a few sets.
class TransformBench {
 public:
  TransformBench(const WinogradTile& tile, Isa isa, std::int64_t tiles)
      : tiles_(tiles),
        plane_((tiles * kChannels + kLineFloats) * kFloatBytes),
        planes_(static_cast<std::size_t>(tile.products() * plane_ / kFloatBytes)),
        pixels_(static_cast<std::size_t>(kChannels * kMostWinogradInputs * kMostWinogradInputs)),
        in_(spec(tile.height.input, tile.width.input, isa, pixel_strides(isa),
                 plane_strides(tile, isa))),
        out_(spec(tile.height.output, tile.width.output, isa, plane_strides(tile, isa),
                  pixel_strides(isa))),
        scratch_(std::max(in_.scratch_floats(), out_.scratch_floats())),
        vectors_(kChannels / lanes_of(isa, ElementType::f32)) {}

  std::int64_t vectors() const { return vectors_; }

  GatedTimer::Call input_call() {
    return [this] {
      in_({pixels_.data(), planes_.data() + next_tile(), scratch_.data(), vectors_});
    };
  }
  GatedTimer::Call output_call() {
    return [this] {
      out_({planes_.data() + next_tile(), pixels_.data(), scratch_.data(), vectors_});
    };
  }

 private:
  static TileTransformSpec spec(const Matrix<Rational>& height, const Matrix<Rational>& width,
                                Isa isa, TileStrides in, TileStrides out) {
    return {.isa = isa,
            .height = factored_program(height),
            .width = factored_program(width),
            .in = {.strides = in},
            .out = {.strides = out}};
  }

  static TileStrides pixel_strides(Isa isa) {
    return {.row = kMostWinogradInputs * kChannels * kFloatBytes,
            .column = kChannels * kFloatBytes,
            .channels = vector_bytes_of(isa)};
  }
  TileStrides plane_strides(const WinogradTile& tile, Isa isa) const {
    return {
        .row = tile.width.inputs() * plane_, .column = plane_, .channels = vector_bytes_of(isa)};
  }

  std::int64_t next_tile() {
    tile_ = tile_ + 1 == tiles_ ? 0 : tile_ + 1;
    return tile_ * kChannels;
  }

  std::int64_t tiles_, plane_, tile_ = 0;
  Buffer planes_, pixels_;
  TileTransform in_, out_;
  Buffer scratch_;
  std::int64_t vectors_;
};

/// Holds two sets of planes: one for a single tile, which stays in the first cache level, and one
/// for many tiles, which stays in the second.
class TransformLevels {
 public:
  TransformLevels(const WinogradTile& tile, const Machine& machine)
      : tile_(tile),
        few_(tile, machine.vector.isa, 1),
        many_(tile, machine.vector.isa, tiles_in_second(tile, machine)) {}

  std::vector<GatedTimer::Call> calls() {
    return {few_.input_call(), few_.output_call(), many_.input_call(), many_.output_call()};
  }

  TransformRate rate(const std::vector<double>& cycles) const {
    const auto per_vector = [&](std::size_t call) {
      return std::round(kDigits * cycles.at(call) / static_cast<double>(few_.vectors())) / kDigits;
    };
    return {.outputs = {tile_.height.outputs, tile_.width.outputs},
            .taps = {tile_.height.taps, tile_.width.taps},
            .in_first = per_vector(0),
            .out_first = per_vector(1),
            .in_second = per_vector(2),
            .out_second = per_vector(3)};
  }

 private:
  static std::int64_t tiles_in_second(const WinogradTile& tile, const Machine& machine) {
    const double second = kShareOfSecond * static_cast<double>(machine.caches.at(1).capacity_bytes);
    const auto tile_bytes = static_cast<double>(tile.products() * kChannels * kFloatBytes);
    return std::max<std::int64_t>(2, static_cast<std::int64_t>(second / tile_bytes));
  }

  const WinogradTile& tile_;
  TransformBench few_, many_;
};

}  // namespace

std::optional<TransformRate> transform_cycles(const WinogradTile& tile, const Machine& machine,
                                              GatedTimer& timer, int samples) {
  TransformLevels levels(tile, machine);
  std::optional<std::vector<double>> cycles;
  for (int attempt = 0; attempt < kAttempts && !cycles; ++attempt)
    cycles = timer.cycles(levels.calls(), samples);
  if (!cycles) return std::nullopt;
  return levels.rate(*cycles);
}

std::vector<WinogradTile> calibrated_tiles() {
  std::vector<WinogradTile> tiles;
  for (const WinogradSize size : winograd_sizes()) {
    const WinogradMatrices along = winograd_of(size);
    tiles.push_back({winograd_of({}), along});
    tiles.push_back({along, along});
  }
  return tiles;
}

RoundCounts measure_transforms(Machine& machine, GatedTimer& timer, int samples,
                               const std::function<bool()>& time_left) {
  machine.rates.transforms.clear();
  const auto measure = [&](const WinogradTile& tile) {
    return timer.cycles(TransformLevels(tile, machine).calls(), samples);
  };
  const auto take_rate = [&](const WinogradTile& tile, const std::vector<double>& cycles) {
    machine.rates.transforms.push_back(TransformLevels(tile, machine).rate(cycles));
  };
  return measure_until_agreed(calibrated_tiles(), measure, take_rate, time_left);
}

}  // namespace tileplan
