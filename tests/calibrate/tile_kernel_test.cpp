// SPDX-License-Identifier: Apache-2.0
// This test compares outputs of register tiles with their definition, and rates with the cycles of
// the calls from which they are computed. It also checks that calibrate() refuses wrong options.
#include "tile_kernel.h"

#include <doctest/doctest.h>
#include <xbyak/xbyak_util.h>

#include <algorithm>
#include <vector>

#include "buffers.h"
#include "calibrate_kernels.h"
#include "close_to.h"
#include "tileplan/calibrate.h"
#include "tileplan/error.h"
#include "vector_units.h"

using namespace tileplan;

namespace {

bool runs_here(Isa isa) {
  const Xbyak::util::Cpu cpu;
  return isa == Isa::avx512 ? cpu.has(Xbyak::util::Cpu::tAVX512F) : cpu.has(Xbyak::util::Cpu::tFMA);
}

constexpr std::int64_t kTiles = 3;

/// Returns the outputs of kTiles tiles after `steps` steps. All inputs are 1 and all weights are 2,
/// so each step adds 2 to every output.
std::vector<float> outputs(const RegisterTile& tile, const VectorUnit& unit, std::int64_t steps) {
  Buffer memory(kKernelBytes / 4);
  const std::size_t part = (1 << 20) / 4;
  std::fill_n(memory.data(), part, 1.0F);
  std::fill_n(memory.data() + part, part, 2.0F);
  char* bytes = reinterpret_cast<char*>(memory.data());
  const TileKernel kernel(tile, unit, unroll_of(unit));
  kernel.run({.input = bytes,
              .weights = bytes + (1 << 20),
              .output = bytes + (2 << 20),
              .steps = steps,
              .tiles = kTiles});
  const float* first = memory.data() + 2 * part;
  return {first, first + kTiles * kernel.output_bytes() / 4};
}

}  // namespace

TEST_CASE("tile kernel: every output sums all steps") {
  for (const VectorUnit& unit : {VectorUnit{}, avx2()}) {
    if (!runs_here(unit.isa)) continue;
    for (const RegisterTile& tile :
         {RegisterTile{.pixels = 6, .vectors = 2}, RegisterTile{.pixels = 1, .vectors = 1},
          RegisterTile{.pixels = 12, .vectors = 1}}) {
      CAPTURE(tile.pixels);
      const std::int64_t steps = most_steps(tile, unit) / 4;
      const std::vector<float> sums = outputs(tile, unit, steps);
      CHECK(sums.size() == static_cast<std::size_t>(kTiles * tile.pixels * tile.vectors) *
                               static_cast<std::size_t>(unit.lanes));
      for (const float sum : sums) REQUIRE(sum == 2.0F * static_cast<float>(steps));
    }
  }
}

TEST_CASE("tile kernel: the longest call has at most 320 vectors of weights") {
  CHECK(most_steps({.pixels = 6, .vectors = 1}, {}) == 320);
  CHECK(most_steps({.pixels = 6, .vectors = 3}, {}) == 96);
  CHECK(most_steps({.pixels = 1, .vectors = 14}, {}) == 32);
}

TEST_CASE("tile kernel: rates follow from the cycles of a long, a short and a resumed call") {
  const KernelRate rate = rate_of({.pixels = 6, .vectors = 1}, {}, {1320, 104, 124});
  CHECK(rate.cycles_per_step == close_to(4));
  CHECK(rate.cycles_per_call == close_to(40));
  CHECK(rate.cycles_per_resume == close_to(20));
  CHECK(!rate.cycles_per_short_call);
}

TEST_CASE("tile kernel: a call of two steps gives the line of short calls") {
  const KernelRate rate = rate_of({.pixels = 6, .vectors = 1}, {}, {1320, 104, 124, 34});
  CHECK(*rate.cycles_per_short_call == close_to(24));
  CHECK(CallCycles(rate).of(2) == close_to(34));
  CHECK(CallCycles(rate).of(16) == close_to(104));
  CHECK(CallCycles(rate).of(320) == close_to(1320));
  CHECK(CallCycles(rate).at(2).step == close_to(5));
}

TEST_CASE("tile kernel: without a constant, the longest call gives the cycles per step") {
  const KernelRate rate = rate_of({.pixels = 1, .vectors = 1}, {}, {1184, 32, 33, 10.2});
  CHECK(rate.cycles_per_call == 0);
  CHECK(CallCycles(rate).of(320) == close_to(1184));
  CHECK(CallCycles(rate).of(2) == close_to(10.2));
}

TEST_CASE("tile kernel: a short call is at least free and at most as long as 16 steps") {
  const RegisterTile tile{.pixels = 6, .vectors = 1};
  CHECK(*rate_of(tile, {}, {1320, 104, 124, 1}).cycles_per_short_call == 0);
  CHECK(*rate_of(tile, {}, {1320, 104, 124, 200}).cycles_per_short_call == close_to(104));
}

TEST_CASE("calibrate: a budget or samples out of range are refused before anything is measured") {
  CHECK_THROWS_WITH_AS(calibrate({}, {.budget_seconds = 0}),
                       "budget: 0.000000 seconds; must be positive and finite", Error);
  CHECK_THROWS_WITH_AS(calibrate({}, {.samples = 0}), "samples: 0; must be at least 1", Error);
}
