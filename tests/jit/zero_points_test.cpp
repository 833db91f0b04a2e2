// SPDX-License-Identifier: Apache-2.0
// This test compares kernels whose tensors have zero points with the definition of a convolution.
#include <doctest/doctest.h>

#include "error_of.h"
#include "plain_conv.h"
#include "random_conv.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

using namespace tileplan;

namespace {

Kernel compiled(const std::string& problem, const std::string& schedule,
                const std::string& epilogue) {
  Plan plan = test::plan_for(parse_problem(problem), parse_schedule(schedule), Isa::avx2);
  plan.options.epilogue = parse_epilogue(epilogue);
  return compile(plan);
}

/// Returns random numbers. About one in four is the smallest or largest number of the type.
template <class Number>
std::vector<Number> random_bytes(std::size_t count, unsigned seed) {
  test::Random random(seed);
  std::vector<Number> bytes(count);
  for (Number& each : bytes) {
    const std::uint64_t draw = random();
    each = static_cast<Number>(draw >> 8);
    if (draw % 8 == 0) each = std::numeric_limits<Number>::max();
    if (draw % 8 == 1) each = std::numeric_limits<Number>::min();
  }
  return bytes;
}

template <class Number>
std::vector<double> minus(const std::vector<Number>& numbers, const std::vector<Number>& points) {
  std::vector<double> moved;
  moved.reserve(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    moved.push_back(1.0 * numbers[i] - points[i / (numbers.size() / points.size())]);
  return moved;
}

/// Checks a 3x5 convolution in nchw, with stride 2 along the height. One of 15 different sets of
/// taps lies inside the input, depending on the output.
template <class Input, class Weights>
void check_conv(const std::string& types, Input input_point, std::vector<Weights> points) {
  CAPTURE(types);
  const std::string shape = "--dt=" + types + " mb2ic6ih7iw6oc16oh4ow6kh3kw5sh2sw1ph1pw2g2";
  const bool per_channel = points.size() > 1;
  const Kernel kernel = compiled(
      shape, "[T(2,n), T(2,g), T(4,h), T(6,w), T(3,r), T(5,s), T(2,c), V(k)] in=nchw out=nchw",
      per_channel ? "input-zero,weights-zero=channel" : "input-zero,weights-zero");
  const auto input = random_bytes<Input>(kernel.input_size(), 1);
  const auto weights = random_bytes<Weights>(kernel.weights_size(), 2);
  std::vector<std::int32_t> output(kernel.output_size());
  kernel.run(input, kernel.pack_weights(weights, points), output,
             {.input_zero_point = input_point});
  const std::vector<double> expected =
      test::plain_conv(std::get<ConvShape>(parse_problem(shape)),
                       minus(input, std::vector<Input>{input_point}), minus(weights, points));
  for (std::size_t i = 0; i < output.size(); ++i) REQUIRE(output[i] == expected[i]);
}

}  // namespace

TEST_CASE("zero points: padding is the zero point of the input, and columns have their own") {
  check_conv<std::uint8_t, std::int8_t>("u8:s8:s32", 3, {-7});
  check_conv<std::uint8_t, std::uint8_t>(
      "u8:u8:s32", 255, {0, 255, 128, 1, 2, 3, 127, 254, 7, 8, 9, 10, 11, 12, 13, 14});
  check_conv<std::int8_t, std::int8_t>("s8:s8:s32", -128, {127});
  check_conv<std::int8_t, std::uint8_t>("s8:u8:s32", 127,
                                        {255, 0, 1, 2, 3, 4, 5, 6, 128, 127, 126, 9, 8, 7, 0, 255});
}

TEST_CASE("zero points: numbers that a kernel cannot use are refused") {
  const std::string problem = "--dt=u8:s8:s32 m1n16k2", loops = "[T(2,j), V(j)]";
  const Kernel kernel = compiled(problem, loops, "input-zero,weights-zero");
  const Kernel plain = compiled(problem, loops, "none");
  const std::vector<std::int8_t> weights(32), one(1), two(2);
  const std::vector<std::uint8_t> input(2), wrong(1);
  std::vector<std::int32_t> output(16);
  CHECK(error_of([&] { kernel.pack_weights(weights); }) ==
        "zero points of the weights: 0 numbers; this kernel takes 1");
  CHECK(error_of([&] { kernel.pack_weights(weights, two); }) ==
        "zero points of the weights: 2 numbers; this kernel takes 1");
  CHECK(error_of([&] { kernel.pack_weights(weights, wrong); }) ==
        "zero points of the weights: u8; this kernel takes s8");
  CHECK(error_of([&] {
          plain.run(input, plain.pack_weights(weights), output, {.input_zero_point = 1});
        }) ==
        "zero point of the input: 1; must be 0, because the epilogue of this kernel has none");
  CHECK(error_of([&] {
          kernel.run(input, kernel.pack_weights(weights, one), output, {.input_zero_point = -1});
        }) == "zero point of the input: -1; must be a number of u8");
  CHECK(error_of([&] { kernel.run(input, plain.pack_weights(weights), output); }) ==
        "packed weights: for other zero points; must be packed by a kernel with the epilogue "
        "input-zero,weights-zero");
  CHECK(error_of([] { compiled("--dt=s16:s16:s32 m1n16k2", "[T(2,j), V(j)]", "input-zero"); }) ==
        "options: epilogue is input-zero; must be without input-zero and weights-zero unless input "
        "and weights are u8 or s8, not s16:s16:s32");
}
