// SPDX-License-Identifier: Apache-2.0
// This file draws problems and machines. random_extent() draws small numbers, powers of two,
// multiples of 16 and arbitrary numbers with equal probabilities. It replaces numbers above a limit
// by the limit.
#include "targets.h"

#include <algorithm>
#include <vector>

#include "random_nest.h"
#include "random_relation.h"
#include "throughput.h"

namespace tileplan::test {
namespace {

/// Larger problems are not drawn, because the plans of huge problems resemble those of large ones.
constexpr std::int64_t kMultiplyAdds = 20'000'000'000;

std::int64_t random_extent(Random& random, std::int64_t most) {
  constexpr std::int64_t kSmall = 8, kVector = 16;
  std::int64_t size = 1;
  switch (pick(random, 0, 3)) {
    case 0:
      return pick(random, 1, std::min(kSmall, most));
    case 1:
      while (size < most && !one_in(random, 8)) size *= 2;
      return std::min(size, most);
    case 2:
      return std::min(kVector * pick(random, 1, std::max<std::int64_t>(1, most / kVector)), most);
    default:
      return pick(random, 1, most);
  }
}

GemmShape random_gemm(Random& random) {
  constexpr std::int64_t kLargest = 4096;
  while (true) {
    GemmShape shape{.b = one_in(random, 5) ? pick(random, 2, 64) : 1,
                    .m = random_extent(random, kLargest),
                    .n = random_extent(random, kLargest),
                    .k = random_extent(random, kLargest)};
    shape.lda = shape.k, shape.ldb = shape.n, shape.ldc = shape.n;
    if (shape.b * shape.m * shape.n * shape.k <= kMultiplyAdds) return shape;
  }
}

Axis random_pixels(Random& random, std::int64_t longest) {
  const std::int64_t filters[] = {1, 1, 2, 3, 3, 5, 7};
  Axis axis{.in = random_extent(random, longest),
            .filter = filters[pick(random, 0, 6)],
            .stride = one_in(random, 3) ? pick(random, 2, 3) : 1,
            .dilation = one_in(random, 6) ? 2 : 1};
  axis.pad_before = one_in(random, 2) ? (axis.filter - 1) * axis.dilation / 2 : 0;
  axis.pad_after = axis.pad_before;
  return with_output(axis);
}

void draw_channels(Random& random, ConvShape& shape) {
  constexpr std::int64_t kMost = 512, kMostGroups = 32;
  const std::int64_t kind = pick(random, 0, 5);
  if (kind == 0) {  // Kind 0 is a depthwise convolution.
    shape.g = shape.c = shape.k = random_extent(random, kMost);
    return;
  }
  shape.g = kind == 1 ? random_extent(random, kMostGroups) : 1;
  shape.c = shape.g * random_extent(random, kMost / shape.g);
  shape.k = shape.g * random_extent(random, kMost / shape.g);
}

std::int64_t multiply_adds(const ConvShape& s) {
  std::int64_t product = s.n * s.k * (s.c / s.g);
  for (const Axis& axis : {s.depth, s.height, s.width}) product *= axis.out * axis.filter;
  return product;
}

ConvShape random_layer(Random& random) {
  constexpr std::int64_t kLongest = 112;
  while (true) {
    ConvShape shape;
    draw_channels(random, shape);
    shape.n = one_in(random, 4) ? pick(random, 2, 8) : 1;
    if (one_in(random, 8)) shape.depth = random_depth(random);
    shape.height = random_pixels(random, kLongest);
    shape.width = one_in(random, 2) ? shape.height : random_pixels(random, kLongest);
    if (multiply_adds(shape) <= kMultiplyAdds) return shape;
  }
}

Problem random_problem(Random& random) {
  constexpr std::int64_t kConvs = 6, kProducts = 3;
  const std::int64_t kind = pick(random, 0, kConvs + kProducts);
  if (kind == 0) return random_relation(random);
  const ElementType type = one_in(random, 8) ? ElementType::f64 : ElementType::f32;
  if (kind <= kProducts) {
    GemmShape shape = random_gemm(random);
    shape.types = type;
    return shape;
  }
  ConvShape shape = random_layer(random);
  shape.types = type;
  return shape;
}

/// Gives all register tiles rates of short calls, as on Zen 3: without its steps, a short call
/// takes a fifth of the cycles of a call of 16 steps. Shipped machine files have no such rates.
void add_short_calls(Machine& machine) {
  constexpr double kShare = 0.2;
  std::vector<KernelRate> rates;
  for (int vectors = 1; vectors <= machine.vector.registers; ++vectors)
    for (int pixels = 1; pixels <= machine.vector.registers; ++pixels) {
      const RegisterTile tile{.pixels = pixels, .vectors = vectors};
      if (!fits_registers(tile, machine.vector)) break;
      KernelRate rate = kernel_rate(tile, machine);
      rate.cycles_per_short_call = kShare * CallCycles(rate).of(kShortCallSteps);
      rates.push_back(rate);
    }
  machine.rates.kernels = rates;
}

}  // namespace

Target random_target(Random& random) {
  const std::vector<std::string> machines = shipped_machines();
  const auto last = static_cast<std::int64_t>(machines.size()) - 1;
  Target target{.problem = random_problem(random),
                .machine = load_machine(machines[static_cast<std::size_t>(pick(random, 0, last))])};
  if (one_in(random, 4))
    target.options.threads = static_cast<int>(pick(random, 2, target.machine.cores));
  if (one_in(random, 3)) {
    add_short_calls(target.machine);
    target.short_calls = true;
  }
  return target;
}

std::string to_string(const Target& target) {
  std::string text = tileplan::to_string(target.problem);
  text = std::string("'").append(text).append("' --machine ").append(target.machine.name);
  text.append(" --threads ").append(std::to_string(target.options.threads));
  return text;
}

}  // namespace tileplan::test
