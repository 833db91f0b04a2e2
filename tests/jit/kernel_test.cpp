// SPDX-License-Identifier: Apache-2.0
// This test checks that compile() and run() refuse wrong arguments, and that streaming stores work
// at any address.
#include "tileplan/kernel.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "close_to.h"
#include "error_of.h"
#include "microkernel_call.h"
#include "random_conv.h"
#include "tileplan/error.h"

using namespace tileplan;

// A call contains pointers into its own lists of reduction runs, so a copy would be invalid.
static_assert(!std::is_copy_constructible_v<MicrokernelCall> &&
              std::is_nothrow_move_constructible_v<MicrokernelCall>);

namespace {

Kernel compiled(const char* shape, const std::string& schedule) {
  Plan plan;
  plan.problem = parse_conv(shape);
  plan.machine = test::toy_machine(Isa::avx2);
  plan.candidates.push_back(
      {.schedule = parse_schedule(schedule), .prediction = {}, .measurement = {}});
  return compile(plan);
}

void refuses(const char* shape, const std::string& schedule, const char* why) {
  CHECK_THROWS_WITH_AS(compiled(shape, schedule), why, Error);
}

std::span<float> floats_of(Packed& memory) {
  return {reinterpret_cast<float*>(memory.data()), memory.size()};
}

/// Returns the output of a kernel for fixed inputs. The output begins `offset` floats after the
/// start of a cache line.
Packed output_of(const Kernel& kernel, std::size_t offset = 0) {
  test::Random random(1);
  const std::vector<float> input = test::random_floats(random, kernel.input_size());
  const std::vector<float> weights = test::random_floats(random, kernel.weights_size());
  Packed output(offset + kernel.output_size());
  kernel.run(input, kernel.pack_weights(weights), floats_of(output).subspan(offset));
  return output;
}

}  // namespace

TEST_CASE("compile: vectors of pixels must be neighbours in the input") {
  refuses("mb1ic8ih8oc8oh8kh1ph0", "[T(8,k), T(8,h), T(8,c), V(w)] in=nhwc out=nhwc",
          "layout: vectors of 8 along w are not contiguous in the input; they must be for avx2");
}

TEST_CASE("compile: groups of two channels are not neighbours in memory") {
  refuses("g8mb1ic16ih4oc8oh4kh1ph0", "[T(4,h), T(2,c), U(4,w), V(g)] in=nhwc out=nhwc",
          "layout: vectors of 8 along g are not contiguous in the input; they must be for avx2");
}

TEST_CASE("compile: a part of a list of groups must begin at a whole block of channels") {
  // Group 1 is the second half of the first block of channels. Group 2 is in the next block, and so
  // farther from group 1 than group 1 is from group 0.
  refuses("mb1g3ic12ih2oc3oh2kh1",
          "[T(2,h), T(2,w), L(g,[1*1,2*1]), R(g), U(4,c), V(k)] in=nChw8c out=nhwc",
          "schedule: a part of L(g,[...]) begins inside a block of 2 g; must begin after whole "
          "blocks");
  compiled("mb1g3ic12ih2oc3oh2kh1",
           "[T(2,h), T(2,w), L(g,[2*1,1*1]), R(g), U(4,c), V(k)] in=nChw8c out=nhwc");
}

TEST_CASE("compile: streaming stores need rows of whole vectors") {
  refuses("mb1ic5ih4oc20oh4kh1ph0", "[T(3,k), T(4,h), T(5,c), U(4,w), V(k)] in=nhwc out=nhwc nt",
          "schedule: nt, but neighbours along w are 20 elements apart in the output; must be "
          "multiples of 8");
}

TEST_CASE("run: streaming stores write what other stores write, wherever the output begins") {
  const char* const shape = "mb1ic5ih7oc20oh7kh3ph1";
  const std::string schedule =
      "[T(3,k), T(7,h), T(5,c), R(r), R(s), U(7,w), V(k)] in=nhwc out=nChw8c";
  const Kernel plain = compiled(shape, schedule), streaming = compiled(shape, schedule + " nt");
  const Packed expected = output_of(plain), got = output_of(streaming);
  CHECK(std::equal(got.data(), got.data() + got.size_bytes(), expected.data()));
  // In this run, the output is not aligned to a vector.
  const Packed shifted = output_of(streaming, 1);
  CHECK(std::equal(expected.data(), expected.data() + expected.size_bytes(),
                   shifted.data() + sizeof(float)));
}

TEST_CASE("run: weights must be in the order of the kernel") {
  const char* const shape = "mb1ic4ih4oc16oh4kh1ph0";
  const Kernel first = compiled(shape, "[T(2,k), T(4,h), T(4,c), U(4,w), V(k)] in=nhwc out=nhwc");
  const Kernel second = compiled(shape, "[T(4,h), T(4,c), U(4,w), U(2,k), V(k)] in=nhwc out=nhwc");
  const std::vector<float> input(first.input_size()), weights(first.weights_size());
  std::vector<float> output(first.output_size());
  const Packed packed = first.pack_weights(weights);
  CHECK_NOTHROW(first.run(input, packed, output));
  CHECK_THROWS_WITH_AS(second.run(input, packed, output),
                       "packed weights: in the order of another kernel; must be packed by this one",
                       Error);
  CHECK_THROWS_AS(first.run(input, Packed(packed.size()), output), Error);
}

TEST_CASE("run: weights that were moved away, or are too few, are refused") {
  const Kernel kernel =
      compiled("mb1ic4ih4oc16oh4kh1ph0", "[T(2,k), T(4,h), T(4,c), U(4,w), V(k)] in=nhwc out=nhwc");
  const std::vector<float> input(kernel.input_size()), weights(kernel.weights_size());
  std::vector<float> output(kernel.output_size());
  Packed given = kernel.pack_weights(weights);
  Packed taken = std::move(given);
  // NOLINTBEGIN(bugprone-use-after-move): The class defines that an object is empty after a move.
  CHECK(given.size() == 0);
  CHECK(given.order() == 0);
  CHECK_THROWS_AS(kernel.run(input, given, output), Error);
  // NOLINTEND(bugprone-use-after-move)
  given = std::move(taken);
  CHECK_NOTHROW(kernel.run(input, given, output));
  CHECK_THROWS_WITH_AS(kernel.run(input, Packed(4, given.order()), output),
                       "packed weights: 4 elements; this kernel takes 64", Error);
}

TEST_CASE("packed weights: sizes whose bytes no signed number holds are refused") {
  CHECK(error_of([] { Packed(std::size_t{1} << 61, 0, ElementType::f64); }) ==
        "packed weights: 2305843009213693952 elements of f64; must have at most 2^63 - 1 bytes");
}

TEST_CASE("run: a kernel takes tensors of its problem's type only") {
  const char* const schedule = "[T(2,k), T(4,h), T(4,c), U(4,w), V(k)] in=nhwc out=nhwc";
  const Kernel kernel = compiled("--dt=f64 mb1ic4ih4oc8oh4kh1ph0", schedule);
  CHECK(kernel.types() == ElementType::f64);
  const std::vector<float> singles(kernel.input_size());
  const std::vector<double> input(kernel.input_size(), 1), weights(kernel.weights_size(), 0.1);
  std::vector<double> output(kernel.output_size());
  std::vector<float> single_output(kernel.output_size());
  const Packed packed = kernel.pack_weights(weights);
  CHECK(packed.type() == ElementType::f64);
  CHECK(packed.size_bytes() == 8 * packed.size());
  kernel.run(input, packed, output);
  CHECK(output.front() == close_to(0.4).epsilon(1e-15));
  CHECK_THROWS_WITH_AS(kernel.pack_weights(std::vector<float>(kernel.weights_size())),
                       "weights: f32; this kernel takes f64", Error);
  CHECK_THROWS_WITH_AS(kernel.run(singles, packed, single_output),
                       "input: f32; this kernel takes f64", Error);
  CHECK_THROWS_WITH_AS(kernel.run(input, Packed(packed.size(), packed.order()), output),
                       "packed weights: f32; this kernel takes f64", Error);
}

TEST_CASE("compile: vectors of four doubles have no blocked layout") {
  refuses("--dt=f64 mb1ic8ih4oc8oh4kh1ph0",
          "[T(2,k), T(4,h), T(8,c), U(4,w), V(k)] in=nhwc out=nChw8c",
          "layout: vectors of 4 along k are not contiguous in the output; they must be for avx2");
}
