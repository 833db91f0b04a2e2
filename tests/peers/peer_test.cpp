// SPDX-License-Identifier: Apache-2.0
// This test checks that oneDNN computes the results of a loop nest in each layout, and uses
// threads. It also checks that problems which oneDNN cannot compute are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "apply_epilogue.h"
#include "attached_kernel.h"
#include "buffers.h"
#include "error_of.h"
#include "onednn.h"
#include "plain_conv.h"
#include "tileplan/error.h"

using namespace tileplan;

namespace {

#ifdef TILEPLAN_HAVE_ONEDNN

std::vector<float> random_values(std::int64_t count, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(count));
  fill_random(values, seed);
  return values;
}

std::vector<float> run(const OnednnPeer& peer, const std::vector<float>& plain_input) {
  Buffer input(peer.input_size()), output(peer.output_size());
  peer.load_input(plain_input, input.span());
  std::fill_n(output.data(), output.size(), std::numeric_limits<float>::quiet_NaN());
  peer.bind(input.span(), output.span())();
  const Buffer plain = peer.plain_output(output.span());
  return {plain.span().begin(), plain.span().end()};
}

std::vector<float> weights_of(const ConvShape& shape) {
  return random_values(
      shape.k * (shape.c / shape.g) * shape.depth.filter * shape.height.filter * shape.width.filter,
      2);
}

bool agrees(const std::vector<float>& got, const std::vector<double>& expected) {
  // Each sum has at most 432 products of absolute values of at most 1, whose rounding errors stay
  // below this limit.
  constexpr double kTolerance = 1e-4;
  return got.size() == expected.size() &&
         std::equal(got.begin(), got.end(), expected.begin(), [](float a, double b) {
           return std::abs(static_cast<double>(a) - b) <= kTolerance;
         });
}

std::ptrdiff_t threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

#endif

}  // namespace

#ifdef TILEPLAN_HAVE_ONEDNN

TEST_CASE("peer: quantised layers have our scales, bias, clamp and zero points") {
  if (!onednn_adds_bytes_exactly()) {
    MESSAGE("oneDNN saturates on this CPU, so that nothing is compared");
    return;
  }
  for (const char* problem : {"--dt=u8:s8:u8 mb2ic16ih6oc24oh6kh3ph1", "--dt=s8 m7n24k16"}) {
    const Computation computation = computation_of(parse_problem(problem));
    Tensors tensors(computation, 1);
    const Epilogue epilogue =
        parse_epilogue("input-zero,bias,scale=channel,clamp=-20:40,output-zero");
    const QuantisedNumbers& numbers = tensors.numbers(epilogue.quantisation);
    const Addends addends{.bias = tensors.bias().elements(),
                          .requantisation = numbers.requantisation(),
                          .input_zero_point = numbers.input_zero_point};
    const OnednnPeer peer(computation.problem, tensors.weights().elements(),
                          {.epilogue = {epilogue, addends}, .layout = PeerLayout::nhwc});
    const TensorTypes types = types_of(computation.problem);
    Buffer input(peer.input_size(), types.input), output(peer.output_size(), types.output);
    peer.load_input(tensors.plain_input().elements(), input.elements());
    peer.bind(input.elements(), output.elements())();
    const Buffer got = peer.plain_output(output.elements());
    const TensorLayout plain = layout_of(computation, Operand::output, Layout::plain);
    std::vector<double> expected =
        reference(computation, tensors.operands(epilogue.quantisation), plain);
    EpilogueTensors added{.bias = tensors.bias().values()};
    added.requantisation = numbers.requantisation();
    apply_epilogue(computation, epilogue, added, plain, expected);
    CHECK(compare(computation, plain, got.values(), expected).largest_error <= 1);
  }
}

TEST_CASE("peer: parts of an epilogue that it lacks are refused") {
  CHECK(error_of([] { require_peer_epilogue(parse_epilogue("weights-zero,bias")); }) ==
        "onednn: the epilogue weights-zero,bias is not compared; must have no alpha, beta, add, "
        "activation and weights-zero");
}

TEST_CASE("onednn: equals a loop nest in all three layouts") {
  for (const char* text :
       {"mb1ic3ih9oc33oh9kh3ph1", "mb2ic32ih8oc16oh4kh3sh2ph1", "mb1ic16ih8oc32oh4kh3sh2ph0",
        "mb1ic20ih11oc24oh7kh3dh1ph0", "g2mb1ic32ih5oc32oh5kh3ph1", "g16mb1ic16ih6oc16oh6kh3ph1",
        "mb1ic32ih7iw5oc48oh7ow5kh1ph0", "mb1ic16id4ih6oc32od4oh6kd3kh3pd1ph1",
        "g2mb1ic8id3ih5oc16od2oh5kd2kh3pd0ph1", "mb1ic8iw20oc16ow20kw3pw1"}) {
    const ConvShape shape = parse_conv(text);
    const std::vector<float> input =
        random_values(shape.n * shape.c * shape.depth.in * shape.height.in * shape.width.in, 1);
    const std::vector<float> weights = weights_of(shape);
    const std::vector<double> expected = test::plain_conv(shape, input, weights);
    for (const PeerLayout layout : {PeerLayout::any, PeerLayout::nhwc, PeerLayout::nchw}) {
      CAPTURE(text);
      CAPTURE(to_string(layout));
      const OnednnPeer peer(shape, weights, {.layout = layout});
      CHECK(agrees(run(peer, input), expected));
      CHECK_FALSE(peer.implementation().empty());
    }
  }
}

TEST_CASE("onednn: padding after the input that differs from the padding before it") {
  ConvShape shape = parse_conv("mb1ic16ih8oc16oh4kh3sh2ph0");
  REQUIRE(shape.height.pad_before == 0);
  REQUIRE(shape.height.pad_after == 1);
  shape.width.pad_before = 1;
  shape.width.pad_after = 0;
  const std::vector<float> input = random_values(16 * 64, 1), weights = weights_of(shape);
  const OnednnPeer peer(shape, weights);
  CHECK(agrees(run(peer, input), test::plain_conv(shape, input, weights)));
}

TEST_CASE("onednn: a 2x2 product with gaps between the rows of all three matrices") {
  const GemmShape shape = parse_gemm("m2n2k2lda3ldb4ldc3");
  const std::vector<float> a = {1, 2, 9, 3, 4, 9}, b = {5, 6, 9, 9, 7, 8, 9, 9};
  const OnednnPeer peer(shape, b);
  CHECK(peer.input_size() == 6);
  CHECK(peer.output_size() == 6);
  CHECK(run(peer, a) == std::vector<float>{19, 22, 0, 43, 50, 0});
}

TEST_CASE("onednn: each matrix of a batch has its own product") {
  const GemmShape shape = parse_gemm("b2m1n2k2");
  const OnednnPeer peer(shape, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(run(peer, {1, 10, 1, 10}) == std::vector<float>{31, 42, 75, 86});
}

TEST_CASE("onednn: a copy runs after the original is gone, again and again") {
  const GemmShape shape = parse_gemm("m1n1k2");
  Buffer input(2), output(1);
  input.data()[0] = input.data()[1] = 1;
  const std::function<void()> execute =
      OnednnPeer(shape, std::vector<float>{3, 4}).bind(input.span(), output.span());
  execute();
  CHECK(output.data()[0] == 7);
  input.data()[1] = 2;
  execute();
  CHECK(output.data()[0] == 11);
}

TEST_CASE("onednn: runs on as many threads as it is told") {
  const ConvShape shape = parse_conv("mb1ic64ih56oc64oh56kh3ph1");
  const std::vector<float> weights = weights_of(shape);
  const std::ptrdiff_t before = threads_of_this_process();
  for (const int threads : {1, 2}) {
    CAPTURE(threads);
    const OnednnPeer peer(shape, weights, {.threads = threads});
    Buffer input(peer.input_size()), output(peer.output_size());
    peer.bind(input.span(), output.span())();
    CHECK(threads_of_this_process() == before + threads - 1);
  }
}

TEST_CASE("onednn: weights of the wrong size are refused with both sizes") {
  CHECK_THROWS_WITH_AS(OnednnPeer(parse_conv("mb1ic3ih4oc4oh4kh3ph1"), std::vector<float>(100)),
                       "onednn: weights has 100 elements; must have 108", Error);
}

TEST_CASE("onednn: buffers of the wrong size are refused with both sizes") {
  const OnednnPeer peer(parse_gemm("m2n2k2"), std::vector<float>(4));
  std::vector<float> four(4), five(5);
  CHECK_THROWS_WITH_AS(peer.bind(five, four), "onednn: input has 5 elements; must have 4", Error);
  CHECK_THROWS_WITH_AS(peer.bind(four, five), "onednn: output has 5 elements; must have 4", Error);
}

TEST_CASE("onednn: what it cannot run is refused by its text") {
  ConvShape shape = parse_conv("mb1ic3ih4oc4oh4kh3ph1");
  shape.height.out = 9;
  CHECK_THROWS_WITH_AS(OnednnPeer(shape, std::vector<float>(108)),
                       doctest::Contains("onednn: it refuses \"mb1ic3ih4oc4oh9"), Error);
}

TEST_CASE("onednn: has a version with three parts") {
  const std::string version = onednn_version();
  CHECK(std::count(version.begin(), version.end(), '.') == 2);
}

#else

TEST_CASE("onednn: without it the error says what to install") {
  CHECK(onednn_version().empty());
  CHECK_THROWS_WITH_AS(
      OnednnPeer(ConvShape{}, std::vector<float>(1)),
      "onednn: tileplan was built without it; install libdnnl-dev (Debian, Ubuntu) "
      "and build again",
      Error);
}

#endif
