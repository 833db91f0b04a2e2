// SPDX-License-Identifier: Apache-2.0
// Compiled schedules against the definition of a convolution: random shapes, layouts, loop orders
// and register tiles.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "computation.h"
#include "integers.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"
#include "toy_conv.h"

using namespace tileplan;

namespace {

using Random = std::mt19937;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

std::int64_t pick_divisor(Random& random, std::int64_t n, std::int64_t most) {
  std::vector<std::int64_t> all = divisors(n);
  std::erase_if(all, [&](std::int64_t d) { return d > most; });
  return all[static_cast<std::size_t>(pick(random, 0, static_cast<std::int64_t>(all.size()) - 1))];
}

Axis random_axis(Random& random) {
  Axis axis{.in = pick(random, 1, 20),
            .filter = pick(random, 1, 4),
            .stride = pick(random, 1, 3),
            .dilation = pick(random, 1, 3),
            .pad_before = pick(random, 0, 3),
            .pad_after = pick(random, 0, 3)};
  const std::int64_t window = (axis.filter - 1) * axis.dilation + 1;
  axis.in = std::max(axis.in, window - axis.pad_before - axis.pad_after);
  axis.out = (axis.in + axis.pad_before + axis.pad_after - window) / axis.stride + 1;
  return axis;
}

ConvShape random_shape(Random& random) {
  ConvShape shape;
  shape.n = pick(random, 1, 2);
  shape.g = pick(random, 0, 3) == 0 ? 2 : 1;
  shape.c = shape.g * pick(random, 1, 24);
  shape.k = shape.g * pick(random, 1, 40);
  shape.height = random_axis(random);
  shape.width = random_axis(random);
  return shape;
}

Machine toy_machine(Isa isa) {
  Machine machine;
  machine.vector.isa = isa;
  machine.vector.lanes = isa == Isa::avx512 ? 16 : 8;
  machine.vector.registers = isa == Isa::avx512 ? 32 : 16;
  return machine;
}

/// Loops over everything above a random register tile, factors in random order.
Schedule random_schedule(Random& random, const ConvShape& shape, int lanes) {
  const std::int64_t vectors = ceil_div(shape.k / shape.g, lanes);
  const std::int64_t u_k = pick_divisor(random, vectors, 3);
  const std::int64_t most = (lanes == 16 ? 30 - u_k : 14 - u_k) / u_k;
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
  split("g", shape.g);
  split("k", vectors / u_k);
  split("c", shape.c / shape.g);
  split("h", shape.height.out / u_h);
  split("w", shape.width.out / u_w);
  split("r", shape.height.filter);
  split("s", shape.width.filter);
  std::shuffle(loops.begin(), loops.end(), random);
  loops.push_back({.kind = Kind::unroll, .dim = "h", .count = u_h, .parts = {}});
  loops.push_back({.kind = Kind::unroll, .dim = "w", .count = u_w, .parts = {}});
  loops.push_back({.kind = Kind::unroll, .dim = "k", .count = u_k, .parts = {}});
  loops.push_back({.kind = Kind::vector, .dim = "k", .count = 0, .parts = {}});
  Schedule schedule;
  schedule.loops = loops;
  return schedule;
}

std::vector<float> random_floats(Random& random, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(pick(random, -64, 64)) / 64.0F;
  return values;
}

/// Moves a tensor between the order of its data dims and a layout.
template <class Visit>
void for_each_element(const std::vector<std::int64_t>& extents, const TensorLayout& layout,
                      Visit visit) {
  std::vector<std::int64_t> at(extents.size(), 0);
  for (std::size_t plain = 0;; ++plain) {
    std::int64_t offset = 0;
    for (std::size_t a = 0; a < at.size(); ++a) offset += layout.axes[a].offset(at[a]);
    visit(plain, static_cast<std::size_t>(offset));
    std::size_t a = at.size();
    while (a > 0 && ++at[a - 1] == extents[a - 1]) at[--a] = 0;
    if (a == 0) return;
  }
}

/// Largest error of the compiled schedule against the definition, relative to the tolerance of the
/// project.
double error_of(Random& random, const ConvShape& shape, const Schedule& schedule, Isa isa) {
  Plan plan;
  plan.problem = shape;
  plan.machine = toy_machine(isa);
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  const Kernel kernel = compile(plan);
  const Computation computation = computation_of(plan.problem);
  const std::vector<float> input = random_floats(
      random, static_cast<std::size_t>(shape.n * shape.c * shape.height.in * shape.width.in));
  const std::vector<float> weights = random_floats(random, kernel.weights_size());
  std::vector<float> stored(kernel.input_size(), 0.0F);
  const std::int64_t cg = shape.c / shape.g, kg = shape.k / shape.g;
  for_each_element({shape.n, shape.g, cg, shape.height.in, shape.width.in},
                   layout_of(computation, Operand::input, schedule.in),
                   [&](std::size_t plain, std::size_t at) { stored[at] = input[plain]; });
  std::vector<float> output(kernel.output_size(), -777.0F);
  kernel.run(stored, kernel.pack_weights(weights), output);

  const std::vector<double> expected = test::plain_conv(shape, input, weights);
  double largest = 0, magnitude = 1e-30;
  for_each_element({shape.n, shape.g, kg, shape.height.out, shape.width.out},
                   layout_of(computation, Operand::output, schedule.out),
                   [&](std::size_t plain, std::size_t at) {
                     largest = std::max(largest, std::abs(output[at] - expected[plain]));
                     magnitude = std::max(magnitude, std::abs(expected[plain]));
                   });
  const double reduction = static_cast<double>(cg * shape.height.filter * shape.width.filter);
  return largest / (4 * 1.2e-7 * std::sqrt(reduction) * magnitude);
}

void check_random(Isa isa, unsigned seed) {
  Random random(seed);
  ConvShape shape = random_shape(random);
  Schedule schedule = random_schedule(random, shape, isa == Isa::avx512 ? 16 : 8);
  const Layout blocked = isa == Isa::avx512 ? Layout::nChw16c : Layout::nChw8c;
  const Layout layouts[] = {Layout::nhwc, Layout::nchw, blocked};
  schedule.in = layouts[pick(random, 0, 2)];
  schedule.out = layouts[pick(random, 0, 2)];
  schedule.prefetch = static_cast<int>(pick(random, 0, 2)) * 4;
  CAPTURE(seed);
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  try {
    const double error = error_of(random, shape, schedule, isa);
    CHECK(error <= 1.0);
  } catch (const Error& error) {
    const std::string what = error.what();  // layouts that this shape or these tiles do not have
    CHECK_MESSAGE(
        (what.find("block") != std::string::npos || what.find("nChw") != std::string::npos), what);
  }
}

bool host_has_avx512() { return __builtin_cpu_supports("avx512f") != 0; }

}  // namespace

TEST_CASE("compiled schedules equal the definition of a convolution on avx2") {
  for (unsigned seed = 1; seed <= 300; ++seed) check_random(Isa::avx2, seed);
}

TEST_CASE("compiled schedules equal the definition of a convolution on avx512") {
  if (!host_has_avx512()) return;
  for (unsigned seed = 1; seed <= 300; ++seed) check_random(Isa::avx512, seed);
}

TEST_CASE("a lambda covers 17 rows by 8 and 9, and the second part starts where the first ends") {
  Random random(1);
  const ConvShape shape = parse_conv("mb1ic5ih17oc16oh17kh3ph1");
  const Schedule schedule = parse_schedule(
      "[T(17,h), L(w,[1*8,1*9]), T(3,r), T(3,s), T(5,c), U(w), V(k)] in=nhwc out=nhwc");
  CHECK(error_of(random, shape, schedule, host_has_avx512() ? Isa::avx512 : Isa::avx2) <= 1.0);
}

TEST_CASE("groups that share a block of the layout do not write into each other") {
  Random random(1);
  const ConvShape shape = parse_conv("g2mb1ic16ih5oc16oh5kh3ph1");
  const bool wide = host_has_avx512();
  const Schedule schedule =
      parse_schedule(std::string("[T(2,g), T(5,h), T(8,c), T(3,r), T(3,s), U(5,w), V(k)] ") +
                     (wide ? "in=nChw16c out=nChw16c" : "in=nChw8c out=nChw8c"));
  CHECK(error_of(random, shape, schedule, wide ? Isa::avx512 : Isa::avx2) <= 1.0);
}
