// SPDX-License-Identifier: Apache-2.0
// This test compares plain loops on integers, bf16 and f16 with sums that are computed by hand. It
// also tests comparisons, random numbers and epilogues of these types.
#include <doctest/doctest.h>

#include "apply_epilogue.h"
#include "buffers.h"
#include "compare.h"
#include "computation.h"
#include "reference.h"

using namespace tileplan;

namespace {

template <class Number>
Buffer buffer_of(const std::vector<Number>& values) {
  Buffer buffer(values.size(), element_type<Number>());
  std::copy(values.begin(), values.end(), buffer.template data<Number>());
  return buffer;
}

/// Returns the only sum of the product of one row and one column.
template <class Number>
double dot(const std::string& types, const std::vector<Number>& left,
           const std::vector<Number>& right) {
  const std::string problem = "--dt=" + types + " m1n1k" + std::to_string(left.size()) + "lda" +
                              std::to_string(left.size());
  const Computation computation = computation_of(parse_problem(problem));
  const auto layout = [&](Operand operand) {
    return layout_of(computation, operand, Layout::plain);
  };
  const Buffer a = buffer_of(left), b = buffer_of(right);
  return reference(computation,
                   {{a.values(), layout(Operand::input)}, {b.values(), layout(Operand::weights)}},
                   layout(Operand::output))
      .front();
}

Check compare_one(const std::string& types, const Buffer& got, double expected) {
  const Computation computation = computation_of(parse_problem("--dt=" + types + " m1n1k4"));
  return compare(computation, layout_of(computation, Operand::output, Layout::plain), got.values(),
                 std::vector<double>{expected});
}

}  // namespace

TEST_CASE("reference: sums of integers are exact modulo 2^32") {
  const std::int16_t low = -32768;
  CHECK(dot<std::int16_t>("s16:s16:s32", {low, low}, {low, low}) == -2147483648.0);
  CHECK(dot<std::int16_t>("s16:s16:s32", {low, low, low, low}, {low, low, low, low}) == 0);
  const std::int32_t large = 2147483647;
  // (2^31 - 1)^2 = 2^62 - 2^32 + 1 is 1 modulo 2^32.
  CHECK(dot<std::int32_t>("s32", {large, large, 3}, {large, large, -5}) == 1 + 1 - 15);
  CHECK(dot<std::uint8_t>("u8:u8:s32", {255, 255}, {255, 1}) == 255 * 256);
}

TEST_CASE("reference: products of halves are exact") {
  CHECK(dot<Bf16>("bf16:bf16:f32", {Bf16(1.0078125F), Bf16(2.0F)},
                  {Bf16(1.0078125F), Bf16(-1.0F)}) == 1.0078125 * 1.0078125 - 2);
  CHECK(dot<F16>("f16:f16:f32", {F16(65504.0F)}, {F16(65504.0F)}) == 65504.0 * 65504.0);
}

TEST_CASE("compare: one unit is wrong in integers, and rounding of the output is right in halves") {
  CHECK(compare_one("u8:s8:s32", buffer_of<std::int32_t>({7}), 7).passed());
  CHECK_FALSE(compare_one("u8:s8:s32", buffer_of<std::int32_t>({8}), 7).passed());
  CHECK_FALSE(compare_one("u8:s8:bf16", buffer_of<Bf16>({Bf16(1.0078125F)}), 1).passed());
  CHECK(compare_one("bf16", buffer_of<Bf16>({Bf16(100.5F)}), 100.75).passed());
  CHECK_FALSE(compare_one("bf16:bf16:f32", buffer_of<float>({100.5F}), 100.75).passed());
  CHECK_FALSE(compare_one("bf16", buffer_of<Bf16>({Bf16(102.0F)}), 100.75).passed());
}

TEST_CASE("buffers: integers are drawn over their range, with extremes") {
  const auto drawn = [](ElementType type) {
    Buffer buffer(4096, type);
    fill_random(buffer, 1);
    return buffer;
  };
  const Buffer bytes = drawn(ElementType::s8), words = drawn(ElementType::s32);
  const auto all = bytes.span<std::int8_t>();
  CHECK(std::ranges::count(all, -128) > 200);
  CHECK(std::ranges::count(all, 127) > 200);
  CHECK(std::ranges::count(all, 5) > 5);
  const auto wide = words.span<std::int32_t>();
  CHECK(std::ranges::count(wide, std::numeric_limits<std::int32_t>::max()) > 200);
  const Buffer halves = drawn(ElementType::bf16);
  for (const Bf16 value : halves.span<Bf16>()) REQUIRE(std::abs(float{value}) <= 1);
}

TEST_CASE("epilogue: integers wrap before they are clamped, and saturate in narrow outputs") {
  const auto applied = [](const std::string& types, const Epilogue& epilogue, double sum,
                          const EpilogueTensors& tensors) {
    const Computation computation = computation_of(parse_problem("--dt=" + types + " m1n1k1"));
    std::vector<double> sums{sum};
    apply_epilogue(computation, epilogue, tensors,
                   layout_of(computation, Operand::output, Layout::plain), sums);
    return sums.front();
  };
  const Buffer one = buffer_of<std::int32_t>({1});
  EpilogueTensors with_one;
  with_one.bias = one.values();
  const Epilogue bias{.bias = true};
  CHECK(applied("u8:s8:s32", bias, 2147483647, with_one) == -2147483648.0);
  CHECK(applied("u8:s8:u8", bias, 300, with_one) == 255);
  CHECK(applied("u8:s8:s8", {}, -129, {}) == -128);
  // 2^24 + 1 lies half-way between two floats, and the even one is chosen.
  CHECK(applied("u8:s8:f32", {}, 16777217, {}) == 16777216);
  CHECK(applied("u8:s8:bf16", {}, 257, {}) == 256);
  CHECK(applied("u8:s8:u8", {.low = 0.5, .high = 2.5}, 7, {}) == 2);
}
