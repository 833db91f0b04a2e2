// SPDX-License-Identifier: Apache-2.0
// This file draws random cases, and draws again when the problem is too large.
#include "draw.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "integers.h"
#include "merge_dims.h"
#include "random_nest.h"
#include "random_relation.h"
#include "random_schedule.h"
#include "random_winograd.h"

namespace tileplan::test {

namespace {

// The largest size that random_size() draws has four of the longest vectors and a remainder.
constexpr std::int64_t kLargest = 70;
// The plain loops that compute the expected values would take too long for larger problems.
constexpr std::int64_t kMultiplyAdds = 3'000'000;

/// Draws a multiple of the longest vector with probability 1/5. Otherwise draws a small size or any
/// size, with equal probability.
std::int64_t random_size(Random& random) {
  constexpr std::int64_t kVector = 16;
  if (one_in(random, 5)) return kVector * pick(random, 1, kLargest / kVector);
  return one_in(random, 2) ? pick(random, 1, 12) : pick(random, 1, kLargest);
}

Axis random_axis_up_to_largest(Random& random) {
  Axis axis{.in = random_size(random),
            .filter = one_in(random, 3) ? 1 : pick(random, 1, 5),
            .stride = one_in(random, 2) ? 1 : pick(random, 1, 4),
            .dilation = one_in(random, 2) ? 1 : pick(random, 1, 3),
            .pad_before = one_in(random, 2) ? 0 : pick(random, 0, 4),
            .pad_after = one_in(random, 2) ? 0 : pick(random, 0, 4)};
  axis = with_output(axis);
  const std::int64_t window = (axis.filter - 1) * axis.dilation + 1;
  // The padding after the input is as long as the last window needs.
  axis.pad_after =
      std::max<std::int64_t>(0, (axis.out - 1) * axis.stride + window - axis.in - axis.pad_before);
  return axis;
}

ConvShape random_channels(Random& random) {
  ConvShape shape;
  const std::int64_t kind = pick(random, 0, 5);
  // In a third of the depthwise convolutions, a group has several output channels.
  if (kind == 0) {
    shape.g = random_size(random);
    shape.c = shape.g;
    shape.k = shape.g * (one_in(random, 3) ? pick(random, 2, 3) : 1);
  } else {
    shape.g = kind == 1 ? pick(random, 2, 8) : 1;
    const std::int64_t most = kLargest / shape.g;
    shape.c = shape.g * std::min(random_size(random), most);
    shape.k = shape.g * std::min(random_size(random), most);
  }
  return shape;
}

std::int64_t multiply_adds(const ConvShape& s) {
  std::int64_t product = s.n * s.k * (s.c / s.g);
  for (const Axis& axis : {s.depth, s.height, s.width}) product *= axis.out * axis.filter;
  return product;
}

ConvShape random_conv(Random& random) {
  while (true) {
    ConvShape shape = random_channels(random);
    shape.n = one_in(random, 3) ? pick(random, 2, 4) : 1;
    const bool rows = !one_in(random, 8);
    if (rows && one_in(random, 5)) shape.depth = random_depth(random);
    if (rows) shape.height = random_axis_up_to_largest(random);
    shape.width = rows && one_in(random, 4) ? shape.height : random_axis_up_to_largest(random);
    if (multiply_adds(shape) <= kMultiplyAdds) return shape;
  }
}

GemmShape random_gemm(Random& random) {
  while (true) {
    GemmShape shape = random_product(random);
    if (shape.b * shape.m * shape.n * shape.k <= kMultiplyAdds / 10) return shape;
  }
}

Problem random_problem(Random& random) {
  constexpr std::int64_t kConvs = 6, kProducts = 2, kRelations = 2;
  const std::int64_t kind = pick(random, 1, kConvs + kProducts + kRelations);
  if (kind <= kRelations) return random_relation(random);
  if (kind <= kRelations + kProducts) return random_gemm(random);
  ConvShape shape = random_conv(random);
  if (one_in(random, 3)) shape.types = ElementType::f64;
  return shape;
}

Isa random_isa(Random& random) {
  Isa isa = Isa::avx2;
  if (__builtin_cpu_supports("avx512f") != 0 && one_in(random, 2)) isa = Isa::avx512;
  if (__builtin_cpu_supports("avx512vl") != 0 && one_in(random, 4)) isa = Isa::avx512vl;
  return isa;
}

/// Draws the layouts. If vectors hold pixels, most kernels compute the output as nchw, and
/// transpose it if its layout is nhwc. nchw is therefore drawn often for the output.
void draw_layouts(Random& random, bool is_over_pixels, RandomCase& drawn) {
  const ElementType type = types_of(drawn.problem).output;
  drawn.schedule.in = random_layout(random, drawn.isa, type);
  drawn.schedule.out = random_layout(random, drawn.isa, type);
  if (is_over_pixels && one_in(random, 2)) drawn.schedule.out = Layout::nchw;
}

/// Draws the position of a loop for whose next iteration the weights or the input can be
/// prefetched. Returns nothing in half of the cases, when no such loop exists, and when the
/// schedule does not fit the problem.
std::optional<int> draw_prefetched_loop(Random& random, const RandomCase& drawn) {
  try {
    return random_ahead(random, drawn.problem, drawn.schedule, lanes_of(drawn));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Draws an epilogue, or none in a third of the cases.
Epilogue draw_epilogue(Random& random, const Problem& problem) {
  return one_in(random, 3) ? Epilogue{}
                           : with_factors_for(types_of(problem), random_epilogue(random));
}

/// In a quarter of the cases that allow packing of the output, packs the output inside a random
/// loop. compile() refuses a loop that has parallel loops inside it or that microkernels run.
void draw_output_box(Random& random, RandomCase& drawn) {
  const auto loops = std::ranges::count_if(drawn.schedule.loops,
                                           [](const Specifier& loop) { return !is_inner(loop); });
  if (drawn.schedule.nontemporal || drawn.epilogue.add || loops == 0 || !one_in(random, 4)) return;
  drawn.schedule.pack_output = static_cast<int>(pick(random, 0, loops - 1));
}

RandomCase random_winograd_case(Random& random) {
  ConvShape shape;
  do {
    shape = random_winograd_shape(random, 24);
  } while (multiply_adds(shape) > kMultiplyAdds);
  RandomCase drawn{.problem = shape, .schedule = {}, .epilogue = {}, .isa = random_isa(random)};
  drawn.schedule = WinogradDraw(random, shape, lanes_of(drawn)).schedule();
  draw_layouts(random, false, drawn);
  drawn.threads = static_cast<int>(pick(random, 1, 4));
  drawn.schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
  drawn.epilogue = draw_epilogue(random, drawn.problem);
  return drawn;
}

}  // namespace

int lanes_of(const RandomCase& drawn) {
  return (drawn.isa == Isa::avx512 ? 64 : 32) /
         static_cast<int>(bytes_of(types_of(drawn.problem).output));
}

RandomCase random_case(Random& random) {
  constexpr int kWinograd = 8;  // One of this many cases is a Winograd convolution.
  if (one_in(random, kWinograd)) return random_winograd_case(random);
  RandomCase drawn{.problem = random_problem(random), .schedule = {}, .epilogue = {}};
  drawn.isa = random_isa(random);
  const Computation whole = computation_of(drawn.problem);
  const Computation computation = one_in(random, 3) ? whole : merge_adjacent_dims(whole);
  const Registers registers{.lanes = lanes_of(drawn), .count = drawn.isa == Isa::avx2 ? 16 : 32};
  drawn.schedule = random_nest(random, computation, registers);
  if (std::holds_alternative<ConvShape>(drawn.problem))
    draw_layouts(random, holds_pixels(computation, drawn.schedule), drawn);
  drawn.threads = static_cast<int>(pick(random, 1, 4));
  drawn.schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
  drawn.schedule.nontemporal = one_in(random, 4);
  drawn.schedule.ahead = draw_prefetched_loop(random, drawn);
  drawn.epilogue = draw_epilogue(random, drawn.problem);
  const IsSummed summed = [&](const Specifier& loop) {
    return computation.role(computation.dim(loop.dim)) == Role::reduction;
  };
  if (!drawn.schedule.ahead && one_in(random, 2))
    draw_plain_weights(random, drawn.schedule, summed);
  draw_output_box(random, drawn);
  return drawn;
}

std::string to_string(const RandomCase& drawn) {
  return tileplan::to_string(drawn.problem) + " '" + tileplan::to_string(drawn.schedule) + "' " +
         tileplan::to_string(drawn.epilogue) + " " + tileplan::to_string(drawn.isa) + " " +
         std::to_string(drawn.threads) + " threads";
}

}  // namespace tileplan::test
