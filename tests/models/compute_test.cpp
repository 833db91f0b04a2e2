// SPDX-License-Identifier: Apache-2.0
// This test compares the cycles of short calls, and those between stretches of steps, with values
// computed by hand.
#include "compute.h"

#include <doctest/doctest.h>

#include <string>

#include "call_cycles.h"
#include "close_to.h"
#include "cost_machine.h"
#include "random_computation.h"

using namespace tileplan;

TEST_CASE("compute: calls of few steps lie on the line of short calls") {
  Machine any = machine({});
  any.rates.kernels = {{.pixels = 14,
                        .vectors = 2,
                        .cycles_per_step = 14,
                        .cycles_per_call = 50,
                        .cycles_per_short_call = 18}};
  const auto cycles = [&any](std::int64_t channels) {
    const Computation conv = pointwise(channels, 14);
    return call_cycles(conv, resolve(schedule("[R(c), U(14,w), U(2,k), V(k)]"), conv, 16), any);
  };
  CHECK(cycles(8) == close_to(18 + 8 * 16));
  CHECK(cycles(32) == close_to(50 + 32 * 14));
}

TEST_CASE("compute: changes from one stretch of steps to the next take cycles") {
  const auto cycles = [](const Computation& computation, const std::string& text) {
    const TensorLayout input = layout_of(computation, Operand::input, Layout::nhwc);
    return compute_of(computation, resolve(schedule(text), computation, 16), input, machine({}))
        .front()
        .run_cycles;
  };
  // Each of 4 calls has three stretches, one for each row of taps.
  const Computation conv = toy::conv({.k = 64, .c = 8, .h = 2, .w = 14, .r = 3, .s = 3});
  CHECK(cycles(conv, "[R(h), T(2,k), T(3,r), T(3,s), T(8,c), U(14,w), U(2,k), V(k)]") ==
        close_to(4 * 2 * Overheads().run_cycles));
  CHECK(cycles(pointwise(64, 14), "[R(c), U(14,w), U(2,k), V(k)]") == 0);
}
