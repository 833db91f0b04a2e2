// SPDX-License-Identifier: Apache-2.0
// This test compares conversions to f16 with those of the CPU, and conversions to f16, bf16 and
// integers with values computed by hand. It also converts all halves to floats and back.
#include "half.h"

#include <doctest/doctest.h>
#include <immintrin.h>

#include <random>

#include "element.h"

using namespace tileplan;

namespace {

[[gnu::target("f16c")]] std::uint16_t bits_by_cpu(float value) {
  const __m128i halves = _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT);
  return static_cast<std::uint16_t>(_mm_cvtsi128_si32(halves));
}

float of_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }

}  // namespace

TEST_CASE("each half has a float from which it is made again") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    F16 f16;
    Bf16 bf16;
    f16.bits = bf16.bits = static_cast<std::uint16_t>(bits);
    const float a = f16, b = bf16;
    if (!std::isnan(a)) REQUIRE(F16(a).bits == bits);
    if (!std::isnan(b)) REQUIRE(Bf16(b).bits == bits);
    REQUIRE(std::isnan(F16(a)) == std::isnan(a));
    REQUIRE(std::isnan(Bf16(b)) == std::isnan(b));
  }
}

TEST_CASE("f16 rounds like F16C: ties to even, subnormals, overflow to infinity") {
  // The test needs F16C, which all CPUs with AVX2 have.
  if (__builtin_cpu_supports("avx2") == 0) return;
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) {
    const float any = of_bits(static_cast<std::uint32_t>(random()));
    const float near_one =
        std::ldexp(of_bits(0x3f800000 | (static_cast<std::uint32_t>(random()) >> 9)),
                   static_cast<int>(random() % 40) - 26);
    for (const float value : {any, near_one})
      if (!std::isnan(value)) REQUIRE(F16(value).bits == bits_by_cpu(value));
  }
  CHECK(F16(65519.0F).bits == 0x7bff);
  CHECK(F16(65520.0F).bits == 0x7c00);
}

TEST_CASE("bf16 rounds ties to even and keeps subnormals") {
  // This number lies half-way between 0x3f80 and 0x3f81, and the even one is chosen.
  CHECK(Bf16(of_bits(0x3f808000)).bits == 0x3f80);
  CHECK(Bf16(of_bits(0x3f818000)).bits == 0x3f82);
  CHECK(Bf16(of_bits(0x3f808001)).bits == 0x3f81);
  CHECK(Bf16(of_bits(0x00010000)).bits == 0x0001);
  CHECK(Bf16(of_bits(0x7f7fffff)).bits == 0x7f80);  // The largest float rounds to infinity.
  CHECK(std::isnan(Bf16(of_bits(0x7f800001))));
}

TEST_CASE("integers saturate, and ties go to even") {
  CHECK(nearest<std::uint8_t>(254.5) == 254);
  CHECK(nearest<std::uint8_t>(255.5) == 255);
  CHECK(nearest<std::uint8_t>(-1) == 0);
  CHECK(nearest<std::int8_t>(-128.5) == -128);
  CHECK(nearest<std::int8_t>(0.5) == 0);
  CHECK(nearest<std::int16_t>(1e9) == 32767);
  CHECK(nearest<std::int32_t>(-std::numeric_limits<double>::infinity()) ==
        std::numeric_limits<std::int32_t>::min());
  CHECK(nearest<std::int8_t>(std::nan("")) == 0);
}
