// SPDX-License-Identifier: Apache-2.0
// Random convolutions and schedules are small here, because each costs a run of a compiler.
#pragma once

#include <algorithm>
#include <vector>

#include "integers.h"
#include "random_conv.h"

namespace tileplan::test::emitted {

inline ConvShape random_shape(Random& random) {
  ConvShape shape;
  shape.n = pick(random, 1, 2);
  draw_channels(random, 12, 40, shape);
  if (pick(random, 0, 3) == 0) shape.depth = random_depth(random);
  constexpr std::int64_t kLongest = 14;
  shape.height = random_axis(random, kLongest);
  shape.width = random_axis(random, kLongest);
  return shape;
}

inline Specifier specifier(Kind kind, const char* dim, std::int64_t count) {
  return {.kind = kind, .dim = dim, .count = count, .parts = {}};
}

/// Blocks of two sizes along `dim`, of `trips` times `unit` iterations in all, around a loop that
/// they size; at random places, the first outside the second. Requires trips >= 3.
inline void add_uneven_split(Random& random, const char* dim, std::int64_t trips, std::int64_t unit,
                             std::vector<Specifier>& loops) {
  const std::int64_t block = pick(random, 2, trips - 1);
  std::vector<Part> parts{{trips / block, block * unit}};
  if (trips % block != 0) parts.push_back({1, trips % block * unit});
  const std::int64_t outer = pick(random, 0, static_cast<std::int64_t>(loops.size()));
  loops.insert(loops.begin() + outer, {.kind = Kind::lambda, .dim = dim, .parts = parts});
  const std::int64_t inner = pick(random, outer + 1, static_cast<std::int64_t>(loops.size()));
  loops.insert(loops.begin() + inner, specifier(Kind::rest, dim, 0));
}

/// Loops over everything above a random register tile, factors in random order; a lambda over the
/// output's width where it is wide enough, blocks of two sizes along its height where it is high
/// enough.
inline Schedule random_schedule(Random& random, const ConvShape& shape, int lanes) {
  const std::string along = vector_dim(shape);
  const std::int64_t vectors = ceil_div(along == "g" ? shape.g : shape.k / shape.g, lanes);
  const std::int64_t u_k = pick_divisor(random, vectors, 3);
  const std::int64_t width = shape.width.out;
  const std::int64_t most = (lanes == 16 ? 30 - u_k : 14 - u_k) / u_k;  // pixels in registers
  const bool lambda = width >= 3 && ceil_div(width, 2) <= most && pick(random, 0, 2) == 0;
  const std::int64_t u_w = pick_divisor(random, width, std::min<std::int64_t>(most, 6));
  const std::int64_t u_h =
      pick_divisor(random, shape.height.out, most / (lambda ? ceil_div(width, 2) : u_w));
  std::vector<Specifier> loops;
  const auto split = [&](const char* dim, std::int64_t extent) {
    while (extent > 1) {
      const std::int64_t factor =
          pick(random, 0, 1) == 0 ? extent : pick_divisor(random, extent, extent);
      if (factor > 1) loops.push_back(specifier(Kind::tile, dim, factor));
      extent /= factor;
    }
  };
  split("n", shape.n);
  split(along.c_str(), vectors / u_k);
  if (along != "g") split("g", shape.g);
  split("c", shape.c / shape.g);
  const std::int64_t rows = shape.height.out / u_h;
  const bool uneven = rows >= 3 && pick(random, 0, 1) == 0;
  if (!uneven) split("h", rows);
  if (!lambda) split("w", width / u_w);
  split("d", shape.depth.out);
  split("t", shape.depth.filter);
  split("r", shape.height.filter);
  split("s", shape.width.filter);
  if (lambda)
    loops.push_back({.kind = Kind::lambda,
                     .dim = "w",
                     .count = 0,
                     .parts = {{1, width / 2}, {1, ceil_div(width, 2)}}});
  std::shuffle(loops.begin(), loops.end(), random);
  if (uneven) add_uneven_split(random, "h", rows, u_h, loops);
  loops.push_back(specifier(Kind::unroll, "h", u_h));
  loops.push_back(specifier(Kind::unroll, "w", lambda ? 0 : u_w));
  loops.push_back(specifier(Kind::unroll, along.c_str(), u_k));
  loops.push_back(specifier(Kind::vector, along.c_str(), 0));
  Schedule schedule;
  schedule.loops = loops;
  schedule.prefetch = static_cast<int>(pick(random, 0, 1)) * 4;
  return schedule;
}

}  // namespace tileplan::test::emitted
