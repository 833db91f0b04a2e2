// SPDX-License-Identifier: Apache-2.0
// This test checks the texts of epilogues, the outputs that they give, and that wrong texts,
// activations and addends are refused.
#include "tileplan/epilogue.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "close_to.h"
#include "random_conv.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

using namespace tileplan;

namespace {

void refuses(const std::string& text, const std::string& why) {
  CHECK_THROWS_WITH_AS(parse_epilogue(text), why.c_str(), Error);
}

/// Compiles a 1x1 kernel with one input channel for avx2. Before the epilogue, it computes
/// output[w][k] = input[w] * weights[k] for k < 5.
Kernel outer_product(const std::string& epilogue) {
  Plan plan;
  plan.problem = parse_conv("mb1ic1ih1oc5oh1iw3ow3kh1ph0");
  plan.machine = test::toy_machine(Isa::avx2);
  plan.options.epilogue = parse_epilogue(epilogue);
  plan.candidates.push_back({.schedule = parse_schedule("[U(3,w), V(k)] in=nhwc out=nhwc"),
                             .prediction = {},
                             .measurement = {}});
  return compile(plan);
}

template <class Chosen>
concept TakesTextAsEpilogue = requires {
  Chosen{.epilogue = "bias,relu"};
};
static_assert(!TakesTextAsEpilogue<Options>, "a text must be parsed, and not become a flag");

}  // namespace

TEST_CASE("epilogue: text parses back, relu is a clamp at 0") {
  for (const char* text :
       {"none", "bias", "accumulate,bias,add,relu", "bias,clamp=-0.5:6", "clamp=-inf:0.1",
        "add,clamp=0:6", "relu", "alpha=2", "alpha=-0.5,accumulate,relu",
        "alpha=1e-30,beta=0.25,bias,add,clamp=0:6", "beta=-1",
        "input-zero,weights-zero=channel,bias,scale=channel,add=scaled,relu,output-zero",
        "weights-zero,accumulate,scale,clamp=0:6", "add=scaled", "bias,leaky=0.1",
        "add,sigmoid,clamp=0.25:0.5", "silu", "hard-sigmoid=0.2:0.5,relu", "hard-swish"})
    CHECK(to_string(parse_epilogue(text)) == text);
  CHECK(to_string(parse_epilogue("beta=1,bias")) == "accumulate,bias");
  CHECK(parse_epilogue("alpha=1,beta=0,bias") == parse_epilogue("bias"));
  CHECK(parse_epilogue("clamp=0:inf") == parse_epilogue("relu"));
  CHECK(parse_epilogue("bias,relu") == Epilogue{.low = 0, .bias = true});
}

TEST_CASE("epilogue: bad text is refused with the word and the rule") {
  const std::string known =
      "must be alpha=X, accumulate, beta=Y, bias, add, leaky=ALPHA, sigmoid, silu, "
      "hard-sigmoid=ALPHA:BETA, hard-swish, relu or clamp=LOW:HIGH, or for quantised tensors also "
      "input-zero, weights-zero, scale, add=scaled or output-zero";
  refuses("", "epilogue: \"\"; " + known);
  refuses("gelu", "epilogue: \"gelu\"; " + known);
  refuses("scale=tensor", "epilogue: \"scale=tensor\"; " + known);
  refuses("bias,bias", "epilogue: \"bias\"; each part may be given once");
  refuses("relu,clamp=0:6",
          "epilogue: \"clamp=0:6\"; only one of relu and clamp=LOW:HIGH may be given");
  refuses("relu,bias",
          "epilogue: \"bias\"; stands after \"relu\"; parts must be in the order in which they are "
          "applied: input-zero, weights-zero, alpha=X, accumulate or beta=Y, bias, scale, add, an "
          "activation, relu or clamp=LOW:HIGH, then output-zero");
  refuses("scale,scale=channel",
          "epilogue: \"scale=channel\"; stands beside \"scale\"; only one of them may be given");
  refuses("clamp=0", "epilogue: \"clamp=0\"; must be clamp=LOW:HIGH with numbers, e.g. clamp=0:6");
  refuses("clamp=nan:1",
          "epilogue: \"clamp=nan:1\"; must be clamp=LOW:HIGH with numbers, e.g. clamp=0:6");
  refuses("accumulate,beta=2",
          "epilogue: \"beta=2\"; only one of accumulate and beta=Y may be given");
  refuses("alpha=inf",
          "epilogue: \"alpha=inf\"; must be alpha=NUMBER or beta=NUMBER with a finite number, e.g. "
          "alpha=2,beta=0.5");
  refuses("leaky=x",
          "epilogue: \"leaky=x\"; must be leaky=ALPHA with a finite number, e.g. leaky=0.1");
  refuses("hard-sigmoid=1",
          "epilogue: \"hard-sigmoid=1\"; must be hard-sigmoid=ALPHA:BETA with finite numbers, e.g. "
          "hard-sigmoid=0.2:0.5");
  refuses("silu,sigmoid",
          "epilogue: \"sigmoid\"; stands beside \"silu\"; only one of them may be given");
  refuses("clamp=2:1", "epilogue: \"clamp=2:1\"; the first limit must not be above the second");
}

TEST_CASE("epilogue: output = clamp(output + sum + bias + residual)") {
  const Kernel kernel = outer_product("accumulate,bias,add,clamp=-3:70");
  const std::vector<float> input = {1, 2, -3}, weights = {1, 2, 3, 4, 5};
  const std::vector<float> bias = {10, 20, 30, 40, 50}, residual(15, 0.5F);
  std::vector<float> output(15, -1);
  kernel.run(input, kernel.pack_weights(weights), output, {.bias = bias, .residual = residual});
  const std::vector<float> expected = {10.5F, 21.5F, 32.5F, 43.5F, 54.5F, 11.5F, 23.5F, 35.5F,
                                       47.5F, 59.5F, 6.5F,  13.5F, 20.5F, 27.5F, 34.5F};
  CHECK(output == expected);
}

TEST_CASE("epilogue: output = clamp(alpha * sum + beta * output + bias + residual)") {
  const Kernel kernel = outer_product("alpha=2,beta=-0.5,bias,add,clamp=-3:70");
  const std::vector<float> input = {1, 2, -3}, weights = {1, 2, 3, 4, 5};
  const std::vector<float> bias = {10, 20, 30, 40, 50}, residual(15, 0.5F);
  std::vector<float> output(15, -1);
  kernel.run(input, kernel.pack_weights(weights), output, {.bias = bias, .residual = residual});
  const std::vector<float> expected = {13, 25, 37, 49, 61, 15, 29, 43, 57, 70, 5, 9, 13, 17, 21};
  CHECK(output == expected);
}

TEST_CASE("epilogue: leaky=0.25 quarters negative sums, after the bias and before the clamp") {
  const Kernel kernel = outer_product("bias,leaky=0.25,clamp=-2:9");
  const std::vector<float> input = {1, -2, -4}, weights = {1, 2, 3, 4, 5}, bias = {0, 1, 2, 3, 4};
  std::vector<float> output(15);
  kernel.run(input, kernel.pack_weights(weights), output, {.bias = bias});
  CHECK(output == std::vector<float>{1, 3, 5, 7, 9, -0.5F, -0.75F, -1, -1.25F, -1.5F, -1, -1.75F,
                                     -2, -2, -2});
}

TEST_CASE("epilogue: leaky with a negative or large slope, hard-sigmoid and hard-swish") {
  const auto outputs = [](const char* epilogue) {
    const Kernel kernel = outer_product(epilogue);
    std::vector<float> output(15);
    kernel.run(std::vector<float>{1, -1, 0}, kernel.pack_weights(std::vector<float>{1, 2, 3, 4, 6}),
               output);
    output.resize(10);
    return output;
  };
  CHECK(outputs("leaky=-1") == std::vector<float>{1, 2, 3, 4, 6, 1, 2, 3, 4, 6});
  CHECK(outputs("leaky=3") == std::vector<float>{1, 2, 3, 4, 6, -3, -6, -9, -12, -18});
  CHECK(outputs("hard-sigmoid=0.25:0.5") ==
        std::vector<float>{0.75F, 1, 1, 1, 1, 0.25F, 0, 0, 0, 0});
  // x * (x / 6 + 1/2) is 2/3 at 1, 5/3 at 2 and 3 at 3.
  const std::vector<float> swish = outputs("hard-swish");
  CHECK(swish[0] == close_to(2.0 / 3));
  CHECK(swish[1] == close_to(5.0 / 3));
  CHECK(swish[2] == close_to(3));
  CHECK(swish[4] == 6);
  CHECK(swish[6] == close_to(-1.0 / 3));
  CHECK(swish[9] == 0);
}

TEST_CASE("epilogue: sigmoid and SiLU are within 1.2e-7 and 1.2e-7 |x|, also far from 0") {
  const Kernel sigmoid = outer_product("sigmoid"), silu = outer_product("silu");
  double error = 0, relative = 0;
  for (float x = -130; x <= 130; x += 0.03125F) {
    const std::vector<float> input = {x, 0, x / 8}, weights(5, 1.0F);
    std::vector<float> one(15), two(15);
    sigmoid.run(input, sigmoid.pack_weights(weights), one);
    silu.run(input, silu.pack_weights(weights), two);
    CHECK(one[5] == 0.5F);
    for (const std::size_t pixel : {0, 2}) {
      const double value = input[pixel], exact = 1 / (1 + std::exp(-value));
      error = std::max(error, std::abs(one[5 * pixel] - exact));
      if (value != 0)
        relative = std::max(relative, std::abs(two[5 * pixel] - value * exact) / std::abs(value));
    }
  }
  CHECK(error <= 1.2e-7);
  CHECK(relative <= 1.2e-7);
  CHECK(error > 1e-9);
}

TEST_CASE("epilogue: activations of sums that are converted are refused") {
  const auto refuses = [](const char* types, const char* epilogue, const std::string& why) {
    ConvShape shape = parse_conv("mb1ic1ih1oc5oh1iw3ow3kh1ph0");
    shape.types = parse_types(types);
    Plan plan = test::plan_for(shape, parse_schedule("[U(3,w), V(k)] in=nhwc out=nhwc"), Isa::avx2);
    plan.options.epilogue = parse_epilogue(epilogue);
    const std::string all =
        "options: epilogue is " + std::string(epilogue) + "; must be without " + why;
    CHECK_THROWS_WITH_AS(compile(plan), all.c_str(), Error);
  };
  refuses("u8:s8:s32", "silu", "an activation unless sums in f32 or f64 are stored, not u8:s8:s32");
  refuses("f64", "sigmoid", "sigmoid and silu unless sums are f32");
}

TEST_CASE("epilogue: with beta = 0 a NaN in the output does not survive") {
  for (const char* epilogue : {"none", "alpha=2"}) {
    const Kernel kernel = outer_product(epilogue);
    std::vector<float> output(15, std::nanf(""));
    kernel.run(std::vector<float>{1, 1, 1}, kernel.pack_weights(std::vector<float>(5, 1.0F)),
               output);
    CHECK(output == std::vector<float>(15, kernel.epilogue().alpha == 2 ? 2.0F : 1.0F));
  }
}

TEST_CASE("epilogue: relu leaves a NaN that was computed") {
  const Kernel kernel = outer_product("relu");
  const std::vector<float> input = {1, std::nanf(""), -1}, weights(5, 1.0F);
  std::vector<float> output(15);
  kernel.run(input, kernel.pack_weights(weights), output);
  CHECK(output[0] == 1);
  CHECK(std::isnan(output[5]));
  CHECK(output[10] == 0);
  for (const char* activation :
       {"leaky=0.5", "sigmoid", "silu", "hard-sigmoid=1:0", "hard-swish"}) {
    const Kernel activated = outer_product(activation);
    activated.run(input, activated.pack_weights(weights), output);
    CHECK(std::isnan(output[5]));
  }
}

TEST_CASE("run: addends that are missing, not of the epilogue or in the output are refused") {
  const Kernel kernel = outer_product("bias,add");
  const Packed weights = kernel.pack_weights(std::vector<float>(5));
  const std::vector<float> input(3), bias(5);
  std::vector<float> output(15);
  CHECK_THROWS_WITH_AS(kernel.run(input, weights, output), "bias: 0 elements; this kernel takes 5",
                       Error);
  CHECK_THROWS_WITH_AS(kernel.run(input, weights, output, {.bias = bias}),
                       "residual: 0 elements; this kernel takes 15", Error);
  CHECK_THROWS_WITH_AS(
      kernel.run(input, weights, output, {.bias = bias, .residual = output}),
      "residual: overlaps the output; must not, accumulate and beta add to the output", Error);
  const Kernel plain = outer_product("none");
  CHECK_THROWS_WITH_AS(plain.run(input, weights, output, {.bias = bias}),
                       "bias: 5 elements; this kernel takes 0", Error);
}

TEST_CASE("epilogue: merged rows and columns, groups that share a block") {
  Plan plan;
  plan.problem = parse_conv("g3mb2ic3ih3oc3oh3kh1ph0");
  plan.machine = test::toy_machine(Isa::avx2);
  plan.options.epilogue = parse_epilogue("bias,add");
  plan.candidates.push_back(
      {.schedule = parse_schedule("[T(2,n), T(3,g), U(9,hw), V(k)] in=nhwc out=nChw8c"),
       .prediction = {},
       .measurement = {}});
  const Kernel kernel = compile(plan);
  const std::vector<float> bias = {10, 20, 30}, residual(kernel.output_size(), 0.5F);
  std::vector<float> output(kernel.output_size(), -1);
  kernel.run(std::vector<float>(kernel.input_size(), 1.0F),
             kernel.pack_weights(std::vector<float>{1, 2, 3}), output,
             {.bias = bias, .residual = residual});
  const float pixel[] = {11.5F, 22.5F, 33.5F, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < output.size(); ++i) CHECK(output[i] == pixel[i % 8]);
}
