// SPDX-License-Identifier: Apache-2.0
// This test compares requantised outputs with the formula, and with ties and limits computed by
// hand.
#include <doctest/doctest.h>

#include <cmath>

#include "element.h"
#include "error_of.h"
#include "random_conv.h"
#include "tileplan/error.h"
#include "tileplan/kernel.h"

using namespace tileplan;

namespace {

Kernel compiled(const std::string& problem, const std::string& schedule,
                const std::string& epilogue = "none") {
  Plan plan = test::plan_for(parse_problem(problem), parse_schedule(schedule), Isa::avx2);
  plan.options.epilogue = parse_epilogue(epilogue);
  return compile(plan);
}

/// Returns the 16 outputs, one row of C, of a kernel with `epilogue`. The sums before the epilogue
/// equal the `weights`.
template <class Output>
std::vector<Output> requantised(const std::string& types, const Requantisation& numbers,
                                const std::vector<std::int8_t>& weights,
                                const std::string& epilogue = "scale,output-zero") {
  const Kernel kernel = compiled("--dt=" + types + " m1n16k2", "[T(2,j), V(j)]", epilogue);
  std::vector<Output> output(16);
  std::vector<std::int8_t> all = weights;
  all.resize(32);
  kernel.run(std::vector<std::uint8_t>{1, 0}, kernel.pack_weights(all), output,
             {.requantisation = numbers});
  return output;
}

const std::vector<std::int8_t> kSums = {0,  1,  2,  3,  4,  5,   6,    127,
                                        -1, -2, -3, -4, -5, -50, -100, -128};

constexpr std::int64_t kChannels = 24, kPixels = 6;

/// Returns the position in memory at which the output of a pixel and a channel is stored.
std::size_t place_in(const std::string& layout, std::int64_t pixel, std::int64_t channel) {
  if (layout == "nhwc") return static_cast<std::size_t>(kChannels * pixel + channel);
  if (layout == "nchw") return static_cast<std::size_t>(kPixels * channel + pixel);
  return static_cast<std::size_t>(channel / 8 * 8 * kPixels + 8 * pixel + channel % 8);
}

/// Requantises sums of a convolution in `layout`, and compares each output with the formula.
void check_layout(const std::string& layout) {
  const Kernel kernel = compiled("--dt=u8:s8:s8 mb1ic4ih2iw3oc24oh2ow3kh1ph0",
                                 "[T(2,h), T(3,w), T(3,k), T(2,c), V(k)] in=nhwc out=" + layout,
                                 "bias,scale=channel,add=scaled,clamp=-20:30,output-zero");
  std::vector<std::uint8_t> input(4 * kPixels);
  std::vector<std::int8_t> weights(4 * kChannels), residual(kernel.output_size(), 3);
  std::vector<std::int32_t> bias(kChannels);
  std::vector<float> scales(kChannels);
  test::Random random(1);
  for (auto& each : input) each = static_cast<std::uint8_t>(random());
  for (auto& each : weights) each = static_cast<std::int8_t>(random());
  for (std::size_t k = 0; k < scales.size(); ++k) {
    bias[k] = static_cast<std::int32_t>(k) * 100;
    scales[k] = 0.001F * static_cast<float>(k + 1);
  }
  std::vector<std::int8_t> output(kernel.output_size(), 99);
  kernel.run(
      input, kernel.pack_weights(weights), output,
      {.bias = bias,
       .residual = residual,
       .requantisation = {
           .scales = scales, .zero_point = -7, .residual_scale = 0.25F, .residual_zero_point = 1}});
  for (std::int64_t p = 0; p < kPixels; ++p)
    for (std::int64_t k = 0; k < kChannels; ++k) {
      std::int32_t sum = bias[static_cast<std::size_t>(k)];
      for (std::int64_t c = 0; c < 4; ++c)
        sum += input[static_cast<std::size_t>(4 * p + c)] *
               weights[static_cast<std::size_t>(4 * k + c)];
      volatile float scaled = static_cast<float>(sum) * scales[static_cast<std::size_t>(k)];
      const float value = std::clamp(scaled + 0.5F, -20.0F, 30.0F);
      const double expected = std::nearbyint(value) - 7;
      REQUIRE(output[place_in(layout, p, k)] == expected);
    }
}

}  // namespace

TEST_CASE("requantisation: ties go to even before an odd zero point is added") {
  const std::vector<float> half{0.5F};
  const auto output =
      requantised<std::uint8_t>("u8:s8:u8", {.scales = half, .zero_point = 3}, kSums);
  const std::vector<int> expected = {3, 3, 4, 5, 5, 5, 6, 67, 3, 2, 1, 1, 1, 0, 0, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(int{output[i]} == expected[i]);
}

TEST_CASE("requantisation: outputs saturate after the zero point") {
  const std::vector<float> four{4};
  const auto output =
      requantised<std::int8_t>("u8:s8:s8", {.scales = four, .zero_point = 100}, kSums);
  const std::vector<int> expected = {100, 104, 108, 112, 116, 120,  124,  127,
                                     96,  92,  88,  84,  80,  -100, -128, -128};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(int{output[i]} == expected[i]);
}

TEST_CASE("requantisation: outputs in f32 are scaled sums") {
  const std::vector<float> tenth{0.1F};
  const auto output = requantised<float>("u8:s8:f32", {.scales = tenth}, kSums, "scale");
  for (std::size_t i = 0; i < kSums.size(); ++i)
    CHECK(output[i] == 0.1F * static_cast<float>(kSums[i]));
}

TEST_CASE("requantisation: scales, bias and residual of each channel in every layout") {
  for (const char* layout : {"nhwc", "nchw", "nChw8c"}) check_layout(layout);
}

TEST_CASE("requantisation: numbers that a kernel cannot use are refused") {
  const std::vector<float> one{1}, three(3, 1.0F);
  const auto refusal = [](const Requantisation& numbers, const std::string& epilogue,
                          const std::string& types = "u8:s8:u8") {
    return error_of([&] { requantised<std::uint8_t>(types, numbers, kSums, epilogue); });
  };
  CHECK(refusal({.scales = three}, "scale=channel") == "scales: 3 elements; this kernel takes 16");
  CHECK(refusal({.scales = one}, "none") == "scales: 1 elements; this kernel takes 0");
  CHECK(refusal({}, "scale") == "scales: 0 elements; this kernel takes 1");
  CHECK(refusal({.zero_point = 256}, "output-zero") ==
        "zero point of the output: 256; must be a number of u8");
  CHECK(refusal({.zero_point = 1}, "none") ==
        "zero point of the output: 1; must be 0, because the epilogue of this kernel has none");
  CHECK(refusal({.residual_scale = 2}, "none") ==
        "scale of the residual: 2.000000; must be 1, because the epilogue of this kernel has none");
  CHECK(refusal({}, "output-zero", "u8:s8:f32") ==
        "options: epilogue is output-zero; must be without output-zero unless the output is u8 or "
        "s8, not u8:s8:f32");
  CHECK(refusal({}, "scale", "u8:s8:s32") ==
        "options: epilogue is scale; must be without scale and add=scaled unless integer sums "
        "become another type than s32, not u8:s8:s32");
}
