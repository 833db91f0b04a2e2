// SPDX-License-Identifier: Apache-2.0
// This file draws random Winograd convolutions and schedules for tests of generated code.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "random_conv.h"
#include "winograd_points.h"
#include "winograd_products.h"

namespace tileplan::test {

/// Draws the number of outputs m of F(m, r) for `taps` taps, which is 1 for one tap.
inline std::int64_t random_outputs(Random& random, std::int64_t taps) {
  if (taps == 1) return 1;
  std::vector<WinogradSize> sizes = winograd_sizes();
  std::erase_if(sizes, [&](const WinogradSize& size) { return size.taps != taps; });
  return sizes[static_cast<std::size_t>(pick(random, 0, std::ssize(sizes) - 1))].outputs;
}

inline Axis random_winograd_axis(Random& random, std::int64_t taps, std::int64_t longest) {
  return with_output({.in = pick(random, 1, longest),
                      .filter = taps,
                      .pad_before = pick(random, 0, 3),
                      .pad_after = pick(random, 0, 3)});
}

/// Draws a convolution with one to three groups, whose filter has several rows, several columns or
/// both. The input has at most `longest` rows and columns, or as many as the filter needs.
inline ConvShape random_winograd_shape(Random& random, std::int64_t longest = 14) {
  ConvShape shape{.n = pick(random, 1, 2), .g = pick(random, 0, 2) == 0 ? pick(random, 2, 3) : 1};
  shape.c = shape.g * (pick(random, 0, 1) == 0 ? pick(random, 1, 20) : 16 * pick(random, 1, 3));
  shape.k = shape.g * (pick(random, 0, 1) == 0 ? pick(random, 1, 40) : 16 * pick(random, 1, 3));
  const std::int64_t direction = pick(random, 0, 3);
  const auto taps = [&](bool is_one) { return is_one ? 1 : pick(random, 2, 7); };
  shape.height = random_winograd_axis(random, taps(direction == 0), longest);
  shape.width = random_winograd_axis(random, taps(direction == 1), longest);
  return shape;
}

/// Draws loops that split the groups, tiles and channels of the products at random, and the loops
/// inside which transformed inputs and products are kept.
class WinogradDraw {
 public:
  WinogradDraw(Random& random, const ConvShape& shape, int lanes)
      : random_(random), shape_(shape), lanes_(lanes) {}

  Schedule schedule() {
    Schedule schedule;
    schedule.winograd = {.outputs = {random_outputs(random_, shape_.height.filter),
                                     random_outputs(random_, shape_.width.filter)}};
    const Computation products = winograd_products(shape_, *schedule.winograd);
    const auto extent = [&](const char* name) { return products.extent(products.dim(name)); };
    std::vector<Specifier> outer = {tile(pick_divisor(random_, extent("g"), 3), "g")};
    std::vector<Specifier> inner = {tile(extent("g") / outer.front().count, "g")};
    split_tiles(extent("p"), outer, inner);
    split_channels(ceil_div(extent("k"), lanes_), outer, inner);
    std::ranges::shuffle(outer, random_);
    std::ranges::shuffle(inner, random_);
    schedule.pack_output = static_cast<int>(pick(random_, 0, 2));
    schedule.pack_input = static_cast<int>(pick(random_, 0, 3));
    for (int i = 0; i <= *schedule.pack_output; ++i)
      if (pick(random_, 0, 1) == 0) outer[static_cast<std::size_t>(i)].kind = Kind::parallel;
    const std::int64_t blocks = channel_blocks(extent("c"));
    schedule.loops = outer;
    schedule.loops.push_back(tile(blocks, "c"));
    schedule.loops.push_back(tile(extent("x"), "x"));
    append(schedule.loops, inner);
    schedule.loops.push_back(tile(extent("c") / blocks, "c"));
    append(schedule.loops, registers_);
    schedule.loops.push_back({.kind = Kind::vector, .dim = "k"});
    return schedule;
  }

 private:
  static Specifier tile(std::int64_t count, const char* dim) {
    return {.kind = Kind::tile, .dim = dim, .count = count};
  }
  static void append(std::vector<Specifier>& loops, const std::vector<Specifier>& more) {
    loops.insert(loops.end(), more.begin(), more.end());
  }

  void split_tiles(std::int64_t tiles, std::vector<Specifier>& outer,
                   std::vector<Specifier>& inner) {
    if (tiles > 2 && pick(random_, 0, 3) == 0) {
      const std::int64_t first = pick(random_, 1, std::min<std::int64_t>(tiles - 1, 5));
      const std::int64_t blocks = tiles / first, rest = tiles % first;
      std::vector<Part> parts = {{.times = blocks, .size = first}};
      if (rest > 0) parts.push_back({.times = 1, .size = rest});
      outer.push_back({.kind = Kind::lambda, .dim = "p", .parts = parts});
      registers_.push_back({.kind = Kind::unroll, .dim = "p"});
      return;
    }
    const std::int64_t unrolled = pick_divisor(random_, tiles, 6);
    const std::int64_t blocks = pick_divisor(random_, tiles / unrolled, 8);
    outer.push_back(tile(blocks, "p"));
    inner.push_back(tile(tiles / unrolled / blocks, "p"));
    registers_.push_back({.kind = Kind::unroll, .dim = "p", .count = unrolled});
  }

  void split_channels(std::int64_t vectors, std::vector<Specifier>& outer,
                      std::vector<Specifier>& inner) {
    const std::int64_t unrolled = pick_divisor(random_, vectors, 2);
    const std::int64_t blocks = pick_divisor(random_, vectors / unrolled, 8);
    outer.push_back(tile(blocks, "k"));
    inner.push_back(tile(vectors / unrolled / blocks, "k"));
    registers_.push_back({.kind = Kind::unroll, .dim = "k", .count = unrolled});
  }

  /// Draws a number of equal blocks of input channels. The number is 1, or each block has whole
  /// vectors.
  std::int64_t channel_blocks(std::int64_t channels) {
    std::vector<std::int64_t> counts = divisors(channels);
    std::erase_if(counts, [&](std::int64_t count) { return channels / count % lanes_ != 0; });
    counts.push_back(1);
    return counts[static_cast<std::size_t>(pick(random_, 0, std::ssize(counts) - 1))];
  }

  Random& random_;
  const ConvShape& shape_;
  std::int64_t lanes_;
  std::vector<Specifier> registers_;
};

}  // namespace tileplan::test
