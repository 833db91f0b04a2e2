// SPDX-License-Identifier: Apache-2.0
// This file draws schedules for random convolutions. For schedules of any problem, it draws
// parallel loops, packed inputs and weights, and prefetches.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "branches.h"
#include "integers.h"
#include "merge_dims.h"
#include "nest.h"
#include "next_tile_prefetch.h"
#include "random_conv.h"
#include "repack.h"
#include "strips.h"
#include "tileplan/error.h"

namespace tileplan::test {

inline Specifier counted_loop(Kind kind, const std::string& dim, std::int64_t count) {
  return {.kind = kind, .dim = dim, .count = count, .parts = {}};
}

/// Inserts two loops along `dim`: one over blocks, of which the last may be smaller, and inside it
/// one over the iterations of a block. All blocks together have `trips` times `unit` iterations.
/// Requires trips >= 3.
inline void add_uneven_split(Random& random, const char* dim, std::int64_t trips, std::int64_t unit,
                             std::vector<Specifier>& loops) {
  const std::int64_t block = pick(random, 2, trips - 1);
  std::vector<Part> parts{{trips / block, block * unit}};
  if (trips % block != 0) parts.push_back({1, trips % block * unit});
  const std::int64_t outer = pick(random, 0, static_cast<std::int64_t>(loops.size()));
  loops.insert(loops.begin() + outer, {.kind = Kind::lambda, .dim = dim, .parts = parts});
  const std::int64_t inner = pick(random, outer + 1, static_cast<std::int64_t>(loops.size()));
  loops.insert(loops.begin() + inner, counted_loop(Kind::rest, dim, 0));
}

/// Draws a register tile, and loops over the remaining iterations in random order. Some schedules
/// have a list of two tiles (lambda) that cover the width, and some have uneven blocks along the
/// height.
inline Schedule random_schedule(Random& random, const ConvShape& shape, int lanes) {
  const std::string along = vector_dim(shape);
  const std::int64_t vectors = ceil_div(along == "g" ? shape.g : shape.k / shape.g, lanes);
  const std::int64_t u_k = pick_divisor(random, vectors, 3);
  const std::int64_t width = shape.width.out;
  const bool wide = lanes * bytes_of(shape.types.output) == 64;
  const std::int64_t most = (wide ? 30 - u_k : 14 - u_k) / u_k;
  const bool lambda = width >= 3 && ceil_div(width, 2) <= most && pick(random, 0, 2) == 0;
  const std::int64_t u_w = pick_divisor(random, width, std::min<std::int64_t>(most, 6));
  const std::int64_t u_h =
      pick_divisor(random, shape.height.out, most / (lambda ? ceil_div(width, 2) : u_w));
  std::vector<Specifier> loops;
  const auto split = [&](const char* dim, std::int64_t extent) {
    while (extent > 1) {
      const std::int64_t factor =
          pick(random, 0, 1) == 0 ? extent : pick_divisor(random, extent, extent);
      if (factor > 1) loops.push_back(counted_loop(Kind::tile, dim, factor));
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
  loops.push_back(counted_loop(Kind::unroll, "h", u_h));
  loops.push_back(counted_loop(Kind::unroll, "w", lambda ? 0 : u_w));
  loops.push_back(counted_loop(Kind::unroll, along.c_str(), u_k));
  loops.push_back(counted_loop(Kind::vector, along.c_str(), 0));
  return {.loops = loops, .prefetch = static_cast<int>(pick(random, 0, 1)) * 4};
}

/// Returns `shape` with its input channels and filter columns counted in strips, as the loops of a
/// kernel for `types` count them. The element types of the result are those of a default ConvShape.
inline ConvShape shape_of_loops(const ConvShape& shape, const LoopTypes& types) {
  const Computation loops = in_strips(computation_of(shape), types);
  ConvShape result = shape;
  result.c = shape.g * loops.extent(loops.dim("c"));
  result.width.filter = loops.extent(loops.dim("s"));
  result.types = ConvShape{}.types;
  return result;
}

inline bool is_inner(const Specifier& loop) {
  return loop.kind == Kind::unroll || loop.kind == Kind::vector;
}

inline bool is_summed(const Specifier& loop) {
  return std::string("crst").find(loop.dim) != std::string::npos;
}
using IsSummed = std::function<bool(const Specifier&)>;

/// Makes each tile loop and each list of blocks (lambda) of an output dimension parallel with
/// probability 1/2.
inline Schedule with_parallel_loops(Random& random, Schedule schedule,
                                    const IsSummed& summed = is_summed) {
  for (Specifier& loop : schedule.loops)
    if ((loop.kind == Kind::tile || loop.is_lambda()) && !summed(loop) && pick(random, 0, 1) == 0)
      loop.kind = Kind::parallel;
  return schedule;
}

/// Draws the position of a loop inside which the input can be packed. The reduction loops directly
/// around the register tile are left out, because the microkernel runs them. Returns nothing in
/// half of the cases, when no loop is left, and when vectors hold groups, because the input has the
/// dimension of the groups too.
inline std::optional<int> random_box(Random& random, const Schedule& schedule,
                                     const IsSummed& summed = is_summed) {
  int last = -1;
  for (std::size_t i = 0; i < schedule.loops.size(); ++i)
    if (!is_inner(schedule.loops[i]) && !summed(schedule.loops[i])) last = static_cast<int>(i);
  if (last < 0 || schedule.loops.back().dim == "g" || pick(random, 0, 1) == 0) return std::nullopt;
  return static_cast<int>(pick(random, 0, last));
}

/// Draws how plain weights are used: read in place, or packed inside a loop that random_box() may
/// choose.
inline void draw_plain_weights(Random& random, Schedule& schedule,
                               const IsSummed& summed = is_summed) {
  // Weights can be packed although vectors hold groups, unlike the input.
  Schedule other = schedule;
  other.loops.back().dim = "weights";
  schedule.pack_weights = random_box(random, other, summed);
  schedule.weights_in_place = !schedule.pack_weights;
}

/// Draws the position of a loop for whose next iteration the weights or the input can be
/// prefetched. Returns nothing in half of the cases, and when no such loop exists. Throws Error
/// when `schedule` does not fit `problem`.
inline std::optional<int> random_ahead(Random& random, const Problem& problem,
                                       const Schedule& schedule, int lanes) {
  const Computation computation = computation_of(problem, schedule);
  const Nest nest = resolve(schedule, computation, lanes);
  const std::size_t begin = microkernel_begin(computation, nest);
  std::optional<TensorLayout> input;
  try {
    input = input_in_place(computation, schedule, nest);
  } catch (const Error&) {  // The input does not fit the layout of `schedule`.
  }
  std::vector<int> possible;
  for (int position = 0; position < static_cast<int>(begin); ++position) try {
      plan_next_tile_prefetch(computation, nest, begin, input, position);
      possible.push_back(position);
    } catch (const Error&) {
      // Kernels cannot prefetch the data of the next iteration of this loop.
      continue;
    }
  if (possible.empty() || random() % 2 == 0) return std::nullopt;
  return possible[random() % possible.size()];
}

}  // namespace tileplan::test
