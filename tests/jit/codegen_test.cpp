// SPDX-License-Identifier: Apache-2.0
// This test compares the outputs of compiled schedules, random ones and examples, with the
// definition of a convolution.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "computation.h"
#include "elements.h"
#include "plain_conv.h"
#include "random_schedule.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

using namespace tileplan;
using test::Random;

namespace {

Kernel compiled(const ConvShape& shape, const Schedule& schedule, Isa isa,
                const Epilogue& epilogue) {
  Plan plan;
  plan.problem = shape;
  plan.machine = test::toy_machine(isa);
  plan.options.epilogue = epilogue;
  plan.candidates.push_back({.schedule = schedule, .prediction = {}, .measurement = {}});
  return compile(plan);
}

/// Runs the compiled `schedule`, and returns its largest error divided by the tolerance.
double error_of(Random& random, const ConvShape& shape, const Schedule& schedule, Isa isa,
                const Epilogue& epilogue = {}) {
  const Kernel kernel = compiled(shape, schedule, isa, epilogue);
  const Computation computation = computation_of(shape);
  const std::vector<float> input =
      test::random_floats(random, test::elements_of(computation.tensors[0]));
  const std::vector<float> weights = test::random_floats(random, kernel.weights_size());
  std::vector<float> stored(kernel.input_size(), 0.0F);
  test::for_each_element(test::extents_of(computation.tensors[0]),
                         layout_of(computation, Operand::input, schedule.in),
                         [&](std::size_t plain, std::size_t at) { stored[at] = input[plain]; });
  const std::vector<float> bias =
      test::random_floats(random, epilogue.bias ? kernel.bias_size() : 0);
  const std::vector<float> residual =
      test::random_floats(random, epilogue.add ? kernel.output_size() : 0);
  const std::vector<float> start = epilogue.beta != 0
                                       ? test::random_floats(random, kernel.output_size())
                                       : std::vector<float>(kernel.output_size(), -777.0F);
  std::vector<float> output = start;
  kernel.run(stored, kernel.pack_weights(weights), output, {.bias = bias, .residual = residual});

  const std::vector<double> sums = test::plain_conv(shape, input, weights);
  const std::int64_t pixels = shape.depth.out * shape.height.out * shape.width.out;
  double largest = 0, magnitude = 1e-30;
  test::for_each_element(
      test::extents_of(computation.tensors[2]),
      layout_of(computation, Operand::output, schedule.out),
      [&](std::size_t plain, std::size_t at) {
        double sum = sums[plain];
        const auto [product, before] = test::scaled_terms(epilogue, sum, start[at]);
        magnitude = std::max({magnitude, std::abs(product), std::abs(before)});
        sum = product + before;
        if (epilogue.bias)
          sum += bias[plain / static_cast<std::size_t>(pixels) % static_cast<std::size_t>(shape.k)];
        if (epilogue.add) sum += residual[at];
        magnitude = std::max(magnitude, std::abs(sum));
        const double expected = test::finished(epilogue, sum);
        largest = std::max(largest, test::element_error(output[at], expected));
      });
  const std::int64_t channels = shape.c / shape.g;
  const auto reduction =
      static_cast<double>(channels * shape.depth.filter * shape.height.filter * shape.width.filter);
  return largest / (4 * 1.2e-7 * std::sqrt(reduction) * magnitude);
}

void check_random(Isa isa, unsigned seed) {
  Random random(seed);
  const ConvShape shape = test::random_shape(random);
  Schedule schedule = test::with_parallel_loops(
      random, test::random_schedule(random, shape, isa == Isa::avx512 ? 16 : 8));
  schedule.in = test::random_layout(random, isa);
  schedule.out = test::random_layout(random, isa);
  schedule.prefetch = static_cast<int>(test::pick(random, 0, 2)) * 4;
  schedule.pack_input = test::random_box(random, schedule);
  schedule.ahead = test::random_ahead(random, shape, schedule, isa == Isa::avx512 ? 16 : 8);
  const Epilogue epilogue = seed % 2 == 0 ? test::random_epilogue(random) : Epilogue{};
  CAPTURE(seed);
  CAPTURE(to_string(shape));
  CAPTURE(to_string(schedule));
  CAPTURE(to_string(epilogue));
  try {
    const double error = error_of(random, shape, schedule, isa, epilogue);
    CHECK(error <= 1.0);
  } catch (const Error& error) {
    CHECK_MESSAGE(test::says_layout_does_not_fit(error.what()), error.what());
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

TEST_CASE("compiled schedules equal the definition of a convolution on avx512vl") {
  if (__builtin_cpu_supports("avx512vl") == 0) return;
  for (unsigned seed = 1; seed <= 300; ++seed) check_random(Isa::avx512vl, seed);
}

TEST_CASE("a schedule for narrow vectors runs beside one for wide ones of the same plan") {
  if (__builtin_cpu_supports("avx512vl") == 0) return;
  Random random(1);
  const ConvShape shape = parse_conv("g2mb1ic16ih9oc16oh9kh3ph1");
  const std::string loops = "[T(2,g), T(9,h), T(3,r), T(3,s), T(8,c), U(9,w), V(k)] in=nhwc ";
  CHECK(error_of(random, shape, parse_schedule(loops + "out=nhwc"), Isa::avx512) <= 1.0);
  CHECK(error_of(random, shape, parse_schedule(loops + "out=nChw8c isa=avx512vl"), Isa::avx512) <=
        1.0);
  CHECK_THROWS_WITH_AS(
      error_of(random, shape, parse_schedule(loops + "out=nhwc isa=neon"), Isa::avx512),
      "schedule: isa=neon; toy has avx512 and avx512vl", Error);
}

TEST_CASE("a lambda that covers 17 columns by 8 and 9 gives correct results") {
  Random random(1);
  const ConvShape shape = parse_conv("mb1ic5ih17oc16oh17kh3ph1");
  const std::string vectors = host_has_avx512() ? "[" : "[T(2,k), ";
  const Schedule schedule = parse_schedule(
      vectors + "T(17,h), L(w,[1*8,1*9]), T(3,r), T(3,s), T(5,c), U(w), V(k)] in=nhwc out=nhwc");
  CHECK(error_of(random, shape, schedule, host_has_avx512() ? Isa::avx512 : Isa::avx2) <= 1.0);
}

TEST_CASE("49 pixels of a 1 x 1 convolution are covered by 12 and 13 in every layout") {
  Random random(1);
  const ConvShape shape = parse_conv("mb2ic20ih7oc40oh7kh1ph0");
  const bool wide = host_has_avx512();
  const std::string loops = std::string("[T(2,n), T(") + (wide ? "3" : "5") +
                            ",k), L(hw,[3*12,1*13]), T(20,c), U(hw), V(k)] ";
  const std::string blocked = wide ? "nChw16c" : "nChw8c";
  for (const std::string& in : {std::string("nhwc"), std::string("nchw")})
    for (const std::string& out : {std::string("nhwc"), std::string("nchw"), blocked})
      CHECK(error_of(random, shape,
                     parse_schedule(
                         std::string(loops).append("in=").append(in).append(" out=").append(out)),
                     wide ? Isa::avx512 : Isa::avx2) <= 1.0);
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

TEST_CASE("an epilogue leaves the padding of the last block zero") {
  const bool wide = host_has_avx512();
  const ConvShape shape = parse_conv("mb1ic3ih4oc5oh4kh1ph0");
  const Schedule schedule = parse_schedule(std::string("[T(4,h), T(3,c), U(4,w), V(k)] in=nhwc ") +
                                           (wide ? "out=nChw16c" : "out=nChw8c"));
  const Kernel kernel = compiled(shape, schedule, wide ? Isa::avx512 : Isa::avx2,
                                 {.low = 1, .bias = true, .add = true});
  const std::vector<float> residual(kernel.output_size(), 2.0F), bias(5, 3.0F);
  std::vector<float> output(kernel.output_size(), -777.0F);
  kernel.run(std::vector<float>(kernel.input_size(), 1.0F),
             kernel.pack_weights(std::vector<float>(kernel.weights_size(), 1.0F)), output,
             {.bias = bias, .residual = residual});
  const std::size_t lanes = wide ? 16 : 8;
  for (std::size_t i = 0; i < output.size(); ++i) CHECK(output[i] == (i % lanes < 5 ? 8.0F : 0.0F));
}

TEST_CASE("groups that do not fill the last block leave zeros behind them") {
  const bool wide = host_has_avx512();
  const ConvShape shape = parse_conv("g3mb2ic3ih2oc3oh2kh1ph0");
  const Schedule schedule =
      parse_schedule(std::string("[T(2,n), T(2,h), T(3,g), U(2,w), V(k)] in=nhwc ") +
                     (wide ? "out=nChw16c" : "out=nChw8c"));
  const Kernel kernel = compiled(shape, schedule, wide ? Isa::avx512 : Isa::avx2, {});
  std::vector<float> output(kernel.output_size(), -777.0F);
  kernel.run(std::vector<float>(kernel.input_size(), 1.0F),
             kernel.pack_weights(std::vector<float>(kernel.weights_size(), 1.0F)), output);
  const std::size_t lanes = wide ? 16 : 8;
  for (std::size_t i = 0; i < output.size(); ++i) CHECK(output[i] == (i % lanes < 3 ? 1.0F : 0.0F));
}
