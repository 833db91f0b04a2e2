// SPDX-License-Identifier: Apache-2.0
// This test compares boxes, transforms and the stages of predictions with values computed by hand.
#include "winograd_cost.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "cost_machine.h"
#include "tileplan/error.h"
#include "winograd_blocks.h"

using namespace tileplan;

namespace {

// A convolution of 64 to 32 channels over 28 x 28 outputs has 7 x 7 tiles of 4 x 4.
const Problem& layer() {
  static const Problem problem = parse_problem("mb1ic64ih28oc32oh28kh3ph1");
  return problem;
}

constexpr WinogradTiles kFour{.outputs = {4, 4}};

const std::string kMarks = " in=nhwc out=nhwc winograd=4x4 ";

/// Holds the blocks of a schedule for layer(), with the objects to which they refer.
struct ScheduledLayer {
  explicit ScheduledLayer(const std::string& text)
      : nest(resolve(parse_schedule(text), problem.products, 16)),
        blocks(problem, nest, parse_schedule(text), host) {}

  Machine host = machine({});
  WinogradProblem problem = winograd_problem(layer(), kFour, host);
  Nest nest;
  WinogradBlocks blocks;
};

}  // namespace

TEST_CASE("winograd cost: each tile and vector of channels is transformed once per fill") {
  const std::string once =
      "[T(7,p), T(36,x), T(64,c), U(7,p), U(2,k), V(k)]" + kMarks + "pack=in@0 pack=out@0";
  const ScheduledLayer scheduled(once);
  const WinogradBlocks& blocks = scheduled.blocks;
  CHECK(blocks.fills() == 7);
  CHECK(blocks.input_transforms() == 49 * 4);
  CHECK(blocks.output_transforms() == 49 * 2);
  CHECK(blocks.filled_elements() == 49 * 36 * 64);
  // A row of 7 tiles reads 6 rows of 28 columns. The next row of tiles reads the last two of these
  // rows again. The first and the last row of tiles read 5 rows, but count as 6.
  CHECK(blocks.fill_elements() == 6 * 28 * 64);
  CHECK(blocks.input_elements() == 7 * 6 * 28 * 64);
  CHECK(blocks.output_elements(16) == 28 * 28 * 32);
}

TEST_CASE("winograd cost: a loop over output channels outside V repeats its transforms") {
  const std::string twice =
      "[T(2,k), T(7,p), T(36,x), T(64,c), U(7,p), V(k)]" + kMarks + "pack=in@1 pack=out@1";
  const ScheduledLayer scheduled(twice);
  const WinogradBlocks& blocks = scheduled.blocks;
  CHECK(blocks.fills() == 14);
  CHECK(blocks.input_transforms() == 2 * 49 * 4);
  CHECK(blocks.output_transforms() == 49 * 2);
}

TEST_CASE("winograd cost: a cache that holds both boxes and U takes in nothing but U") {
  const std::string text =
      "[T(7,p), T(36,x), T(64,c), U(7,p), U(2,k), V(k)]" + kMarks + "pack=in@0 pack=out@0";
  const ScheduledLayer scheduled(text);
  const WinogradBlocks& blocks = scheduled.blocks;
  const CacheLevel level = cache("L2", 1 << 20, 16, 1e9);
  // A box of V, a box of M and U take 36 (7 * 64 + 7 * 32 + 64 * 32) elements of 4 bytes, which are
  // 391680 bytes.
  const double needed = 4.0 * 36 * (7 * 64 + 7 * 32 + 64 * 32);
  const ProductTraffic all = product_traffic(blocks, level, needed, CapacityRule::lru2);
  CHECK(all.keeps_v);
  CHECK(all.keeps_m);
  CHECK(all.cut == 0);
  CHECK(all.needed == needed);
  CHECK(all.v + all.m == 0);
  CHECK(all.u == 36 * 64 * 32);
  // If U does not fit, each of 7 blocks of tiles loads it again, and boxes are evicted.
  const ProductTraffic few = product_traffic(blocks, level, needed / 2, CapacityRule::lru2);
  CHECK_FALSE(few.keeps_v);
  CHECK(few.u == 7 * 36 * 64 * 32);
  CHECK(few.missed_m > 0);
}

TEST_CASE("winograd cost: the stages add up to the prediction") {
  const Machine host = machine({cache("L1", 49152, 12, 200e9), cache("L2", 1 << 20, 16, 100e9),
                                cache("L3", 32 << 20, 16, 50e9)});
  const Schedule once = parse_schedule("[T(7,p), T(36,x), T(64,c), U(7,p), U(2,k), V(k)]" + kMarks +
                                       "pack=in@0 pack=out@0");
  const Prediction prediction = predict_schedule(layer(), once, host);
  REQUIRE(prediction.stages.size() == 3);
  double seconds = prediction.unhidden.sum(), bytes = 0;
  for (const StagePrediction& stage : prediction.stages) {
    seconds += stage.seconds;
    bytes += stage.levels[0].bytes;
    CHECK(stage.seconds >= stage.compute_seconds);
  }
  CHECK(prediction.seconds == close_to(seconds));
  CHECK(prediction.levels[0].bytes == close_to(bytes));
  CHECK(prediction.relative_error > 1);
  // The products are 7 * 36 calls of 64 steps.
  CHECK(prediction.reduction_steps == 64);
  // If the input is in nchw, it is also transposed.
  Schedule planes = once;
  planes.in = Layout::nchw;
  const Prediction transposed = predict_schedule(layer(), planes, host);
  CHECK(transposed.unhidden.repack > 0);
  CHECK(transposed.seconds == close_to(prediction.seconds + transposed.unhidden.repack));
}

TEST_CASE("winograd cost: a cache loads the input, U, lines of the output, and boxes beyond it") {
  const Schedule once = parse_schedule("[T(7,p), T(36,x), T(64,c), U(7,p), U(2,k), V(k)]" + kMarks +
                                       "pack=in@0 pack=out@0");
  const auto loads = [&](std::int64_t l2_bytes) {
    const Machine host = machine({cache("L1", 49152, 12, 200e9), cache("L2", l2_bytes, 16, 100e9),
                                  cache("L3", 32 << 20, 16, 50e9)});
    return winograd_loads(winograd_problem(layer(), kFour, host), once, host);
  };
  // An L2 of 512 KiB holds a box of V, a box of M and U, which take 391680 bytes, but not the other
  // tensors too.
  const double tensors = 4.0 * (7 * 6 * 28 * 64 + 36 * 64 * 32 + 28 * 28 * 32);
  const std::vector<double> held = loads(512 << 10);
  REQUIRE(held.size() == 3);
  CHECK(held[1] == close_to(tensors));
  CHECK(held[2] == 0);
  // An L2 of 32 KiB loads V when it is filled and read, and U for each of 7 blocks of tiles. M is
  // loaded once to be accumulated, and again to be transformed. Planes of 29 and 15 lines make the
  // boxes and U 396288 bytes large, of which 32 KiB are still in the cache.
  const double v = 4.0 * 49 * 36 * 64, m = 4.0 * 49 * 36 * 32, u = 4.0 * 36 * 64 * 32;
  const double again = 1 - 32768.0 / 396288;
  CHECK(loads(32 << 10)[1] == close_to(tensors + 6 * u + 2 * v + m + again * m));
}

TEST_CASE("winograd cost: each line of a box beyond the second level takes 5 cycles more") {
  const Schedule once = parse_schedule("[T(7,p), T(36,x), T(64,c), U(7,p), U(2,k), V(k)]" + kMarks +
                                       "pack=in@0 pack=out@0");
  const auto input_seconds = [&](double rate) {
    const Machine host = machine({cache("L1", 16384, 8, 200e9), cache("L2", 32768, 8, rate),
                                  cache("L3", 32 << 20, 16, 50e9)});
    return predict_schedule(layer(), once, host).stages[0];
  };
  // All fills write 451584 bytes of V, 7056 lines, and read 301056 bytes of the input.
  const double v = 4.0 * 49 * 36 * 64, input = 4.0 * 7 * 6 * 28 * 64;
  CHECK(input_seconds(100e9).levels[1].seconds == close_to(5 * v / 64 / kHertz + input / 100e9));
  // On a slow link, storing V takes longer than 5 cycles per line: twice the time of reading as
  // many bytes, less the time of computing.
  const StagePrediction slow = input_seconds(1e9);
  CHECK(slow.levels[1].seconds == close_to(2 * v / 1e9 - slow.compute_seconds + input / 1e9));
}

TEST_CASE("winograd cost: schedules that break a rule are refused") {
  const Schedule open =
      parse_schedule("[T(7,p), T(36,x), T(64,c), U(7,p), U(2,k), V(k)]" + kMarks + "pack=in@0");
  CHECK_THROWS_AS(predict_schedule(layer(), open, machine({})), Error);
  CHECK_THROWS_AS(predict_schedule(parse_problem("m4n4k4"), open, machine({})), Error);
}
