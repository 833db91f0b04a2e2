// SPDX-License-Identifier: Apache-2.0
// This test compares assembled Winograd transforms with an interpreter of their programs.
#include "tile_transform.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "host_isas.h"
#include "tileplan/error.h"
#include "winograd_points.h"

using namespace tileplan;

namespace {

struct Sizes {
  std::size_t rows = 0, columns = 0, channels = 0;
  std::size_t count() const { return rows * columns * channels; }
};

Sizes in_sizes(const TileTransformSpec& spec, std::size_t channels) {
  return {static_cast<std::size_t>(spec.height.inputs), static_cast<std::size_t>(spec.width.inputs),
          channels};
}

Sizes out_sizes(const TileTransformSpec& spec, std::size_t channels) {
  return {spec.height.outputs.size(), spec.width.outputs.size(), channels};
}

/// Interprets the programs for the height and the width on tiles in [row][column][channel] order.
std::vector<float> interpreted(const TileTransformSpec& spec, const std::vector<float>& in,
                               std::size_t channels) {
  const Sizes from = in_sizes(spec, channels), to = out_sizes(spec, channels);
  const auto stride = [](std::size_t floats) { return static_cast<std::ptrdiff_t>(floats); };
  ProgramRun<float> height(spec.height), width(spec.width);
  std::vector<float> middle(to.rows * from.columns * channels), out(to.count());
  for (std::size_t i = 0; i < from.columns * channels; ++i)
    height({&in[i], stride(from.columns * channels)},
           {&middle[i], stride(from.columns * channels)});
  for (std::size_t row = 0; row < to.rows; ++row)
    for (std::size_t c = 0; c < channels; ++c)
      width({&middle[row * from.columns * channels + c], stride(channels)},
            {&out[row * to.columns * channels + c], stride(channels)});
  return out;
}

/// Runs the assembled code on tiles in [row][column][channel] order. No two outputs share memory.
std::vector<float> assembled(TileTransformSpec spec, const std::vector<float>& in,
                             std::size_t vectors) {
  const auto lanes = static_cast<std::size_t>(lanes_of(spec.isa, ElementType::f32));
  const auto bytes = [&](std::size_t floats) {
    return static_cast<std::int64_t>(floats * sizeof(float));
  };
  const std::size_t channels = vectors * lanes;
  spec.in.strides = {.row = bytes(in_sizes(spec, channels).columns * channels),
                     .column = bytes(channels),
                     .channels = bytes(lanes)};
  spec.out.strides = {.row = bytes(out_sizes(spec, channels).columns * channels),
                      .column = bytes(channels),
                      .channels = bytes(lanes)};
  const TileTransform transform(spec);
  std::vector<float> out(out_sizes(spec, channels).count()), scratch(transform.scratch_floats());
  transform({.in = in.data(),
             .out = out.data(),
             .scratch = scratch.data(),
             .vectors = static_cast<std::int64_t>(vectors)});
  return out;
}

void check_equal(const TileTransformSpec& spec, std::mt19937& random) {
  constexpr std::size_t kVectors = 3;
  std::uniform_real_distribution<float> uniform(-1, 1);
  const auto lanes = static_cast<std::size_t>(lanes_of(spec.isa, ElementType::f32));
  std::vector<float> in(in_sizes(spec, kVectors * lanes).count());
  for (float& value : in) value = uniform(random);
  CHECK(assembled(spec, in, kVectors) == interpreted(spec, in, kVectors * lanes));
}

}  // namespace

TEST_CASE("input and output transforms of all sizes in use, in one and in two directions") {
  std::mt19937 random(1);
  const WinogradMatrices none = winograd_of({1, 1});
  for (const Isa isa : host_isas())
    for (const WinogradSize size : winograd_sizes()) {
      CAPTURE(to_string(isa));
      CAPTURE(size.outputs);
      CAPTURE(size.taps);
      const WinogradMatrices matrices = winograd_of(size), other = winograd_of({2, 3});
      for (const auto side : {&WinogradMatrices::input, &WinogradMatrices::output}) {
        const StraightLineProgram program = factored_program(matrices.*side);
        const StraightLineProgram copy = factored_program(none.*side);
        check_equal({isa, program, program}, random);
        check_equal({isa, program, factored_program(other.*side)}, random);
        check_equal({isa, program, copy}, random);
        check_equal({isa, copy, program}, random);
        check_equal({isa, copy, copy}, random);
      }
    }
}

TEST_CASE("programs of random matrices, with zeros, negations and repeated outputs") {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> entry(-2, 2), extent(1, 6);
  for (const Isa isa : host_isas())
    for (int round = 0; round < 200; ++round) {
      Matrix<Rational> height(extent(random), extent(random));
      Matrix<Rational> width(extent(random), extent(random));
      for (Matrix<Rational>* matrix : {&height, &width})
        for (Rational& value : matrix->values) value = Rational(entry(random), 2);
      check_equal({isa, factored_program(height), factored_program(width)}, random);
    }
}

TEST_CASE("the columns that the next tile loads for the first time are prefetched") {
  TileTransformSpec spec{.isa = Isa::avx2,
                         .height = factored_program(winograd_of({1, 1}).input),
                         .width = factored_program(winograd_of({2, 3}).input),
                         .in = {.strides = {.row = 640, .column = 64, .channels = 32}}};
  CHECK(prefetched_elements(spec).empty());
  spec.next_tile = 2 * 64;
  CHECK(prefetched_elements(spec) == std::vector<int>{4 * 64, 5 * 64});
  spec.in.window = {{0, 1}, {0, 3}};
  CHECK(prefetched_elements(spec) == std::vector<int>{4 * 64});
}

TEST_CASE("instruction sets without assembler are refused") {
  TileTransformSpec spec{.isa = Isa::neon, .height = {}, .width = {}};
  CHECK_THROWS_AS(TileTransform{spec}, Error);
}
