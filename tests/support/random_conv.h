// SPDX-License-Identifier: Apache-2.0
// Random convolutions with random schedules that compile, for tests of generated code.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "integers.h"
#include "tileplan/epilogue.h"
#include "tileplan/machine.h"
#include "tileplan/problem.h"
#include "tileplan/schedule.h"

namespace tileplan::test {

using Random = std::mt19937;

inline std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

inline std::int64_t pick_divisor(Random& random, std::int64_t n, std::int64_t most) {
  std::vector<std::int64_t> all = divisors(n);
  std::erase_if(all, [&](std::int64_t d) { return d > most; });
  return all[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(all.size()) - 1))];
}

/// The input made long enough for one window, and what comes out.
inline Axis with_output(Axis axis) {
  const std::int64_t window = (axis.filter - 1) * axis.dilation + 1;
  axis.in = std::max(axis.in, window - axis.pad_before - axis.pad_after);
  axis.out = (axis.in + axis.pad_before + axis.pad_after - window) / axis.stride + 1;
  return axis;
}

/// At most `longest` elements of input, or as many as the filter needs.
inline Axis random_axis(Random& random, std::int64_t longest = 20) {
  return with_output({.in = pick(random, 1, longest),
                      .filter = pick(random, 1, 4),
                      .stride = pick(random, 1, 3),
                      .dilation = pick(random, 1, 3),
                      .pad_before = pick(random, 0, 3),
                      .pad_after = pick(random, 0, 3)});
}

/// A short third axis, none where one input meets one tap.
inline Axis random_depth(Random& random) {
  const Axis depth = with_output({.in = pick(random, 1, 5),
                                  .filter = pick(random, 1, 3),
                                  .stride = pick(random, 1, 2),
                                  .dilation = pick(random, 1, 2),
                                  .pad_before = pick(random, 0, 2)});
  return depth == Axis{.stride = depth.stride, .dilation = depth.dilation} ? Axis{} : depth;
}

/// One group, two, or one channel per group, at most `most_c` and `most_k` channels each.
inline void draw_channels(Random& random, std::int64_t most_c, std::int64_t most_k,
                          ConvShape& shape) {
  const std::int64_t kind = pick(random, 0, 3);
  const bool depthwise = kind == 3;
  shape.g = depthwise ? pick(random, 1, most_k) : kind == 2 ? 2 : 1;
  shape.c = shape.g * (depthwise ? 1 : pick(random, 1, most_c));
  shape.k = shape.g * (depthwise ? 1 : pick(random, 1, most_k));
}

/// The dim that vectors run along: groups of one channel are neighbours in memory.
inline const char* vector_dim(const ConvShape& shape) {
  return shape.g > 1 && shape.c == shape.g && shape.k == shape.g ? "g" : "k";
}

inline ConvShape random_shape(Random& random) {
  ConvShape shape;
  shape.n = pick(random, 1, 2);
  draw_channels(random, 24, 40, shape);
  if (pick(random, 0, 3) == 0) shape.depth = random_depth(random);
  shape.height = random_axis(random);
  shape.width = random_axis(random);
  return shape;
}

inline Machine toy_machine(Isa isa) {
  Machine machine{.name = "toy"};
  machine.vector = {.isa = isa, .lanes = isa == Isa::avx512 ? 16 : 8};
  machine.vector.registers = isa == Isa::avx2 ? 16 : 32;
  if (isa == Isa::avx512) machine.narrow = {{.isa = Isa::avx512vl, .lanes = 8}};
  return machine;
}

/// Loops over everything above a random register tile, factors in random order.
inline Schedule random_schedule(Random& random, const ConvShape& shape, int lanes) {
  const std::string along = vector_dim(shape);
  const std::int64_t vectors = ceil_div(along == "g" ? shape.g : shape.k / shape.g, lanes);
  const std::int64_t u_k = pick_divisor(random, vectors, 3);
  const bool wide = lanes * bytes_of(shape.type) == 64;
  const std::int64_t most = (wide ? 30 - u_k : 14 - u_k) / u_k;
  const std::int64_t u_w = pick_divisor(random, shape.width.out, most);
  const std::int64_t u_h = pick_divisor(random, shape.height.out, most / u_w);
  std::vector<Specifier> loops;
  const auto split = [&](const char* dim, std::int64_t extent) {
    while (extent > 1) {
      const std::int64_t factor =
          pick(random, 0, 1) == 0 ? extent : pick_divisor(random, extent, extent);
      if (factor > 1)
        loops.push_back({.kind = Kind::tile, .dim = dim, .count = factor, .parts = {}});
      extent /= factor;
    }
  };
  split("n", shape.n);
  split(along.c_str(), vectors / u_k);
  if (along != "g") split("g", shape.g);
  split("c", shape.c / shape.g);
  split("h", shape.height.out / u_h);
  split("w", shape.width.out / u_w);
  split("r", shape.height.filter);
  split("s", shape.width.filter);
  split("d", shape.depth.out);
  split("t", shape.depth.filter);
  std::shuffle(loops.begin(), loops.end(), random);
  loops.push_back({.kind = Kind::unroll, .dim = "h", .count = u_h, .parts = {}});
  loops.push_back({.kind = Kind::unroll, .dim = "w", .count = u_w, .parts = {}});
  loops.push_back({.kind = Kind::unroll, .dim = along, .count = u_k, .parts = {}});
  loops.push_back({.kind = Kind::vector, .dim = along, .count = 0, .parts = {}});
  return {.loops = loops};
}

inline std::vector<float> random_floats(Random& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(pick(random, -64, 64)) / 64.0F;
  return values;
}

/// Floats as above; doubles in [-1, 1] that no float can hold.
template <class Number>
std::vector<Number> random_numbers(Random& random, std::size_t count) {
  if constexpr (std::is_same_v<Number, float>) {
    return random_floats(random, count);
  } else {
    constexpr std::int64_t kUnit = std::int64_t{1} << 40;
    std::vector<Number> values(count);
    for (Number& value : values)
      value = static_cast<Number>(pick(random, -kUnit, kUnit)) / static_cast<Number>(kUnit);
    return values;
  }
}

/// `schedule` with every other loop over a dim of the output parallel.
inline Schedule with_parallel_loops(Random& random, Schedule schedule) {
  for (Specifier& loop : schedule.loops)
    if ((loop.kind == Kind::tile || loop.is_lambda()) &&
        std::string("crst").find(loop.dim) == std::string::npos && pick(random, 0, 1) == 0)
      loop.kind = Kind::parallel;
  return schedule;
}

/// A loop inside which the input can be packed: none of the reduction loops around the register
/// tile is outside it. Nothing when there is no such loop, for vectors of groups, which are in the
/// input, and every other time.
inline std::optional<int> random_box(Random& random, const Schedule& schedule) {
  int last = -1;
  for (std::size_t i = 0; i < schedule.loops.size(); ++i) {
    const Specifier& loop = schedule.loops[i];
    const bool is_loop = loop.kind != Kind::unroll && loop.kind != Kind::vector;
    if (is_loop && loop.dim != "c" && loop.dim != "r" && loop.dim != "s" && loop.dim != "t")
      last = static_cast<int>(i);
  }
  if (last < 0 || schedule.loops.back().dim == "g" || pick(random, 0, 1) == 0) return std::nullopt;
  return static_cast<int>(pick(random, 0, last));
}

/// Each part with even odds; limits that cut off some of the outputs.
inline Epilogue random_epilogue(Random& random) {
  Epilogue epilogue{.accumulate = pick(random, 0, 1) == 1,
                    .bias = pick(random, 0, 1) == 1,
                    .add = pick(random, 0, 1) == 1};
  const std::int64_t limits = pick(random, 0, 3);
  if (limits == 1 || limits == 3) epilogue.low = static_cast<double>(pick(random, -8, 4)) / 8;
  if (limits >= 2) epilogue.high = static_cast<double>(pick(random, 4, 16)) / 8;
  return epilogue;
}

/// The layouts that kernels of `isa` read and write: blocks are one vector, and none has 4
/// channels.
inline Layout random_layout(Random& random, Isa isa, ElementType type = ElementType::f32) {
  const bool wide = isa == Isa::avx512, is_double = type == ElementType::f64;
  const Layout blocked = wide && !is_double ? Layout::nChw16c : Layout::nChw8c;
  const Layout layouts[] = {Layout::nhwc, Layout::nchw, blocked};
  return layouts[pick(random, 0, is_double && !wide ? 1 : 2)];
}

/// True for the errors that say that a shape, or the tiles, do not have the layout drawn.
inline bool says_layout_does_not_fit(const std::string& error) {
  return error.find("block") != std::string::npos || error.find("nChw") != std::string::npos;
}

}  // namespace tileplan::test
