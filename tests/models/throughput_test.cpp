// SPDX-License-Identifier: Apache-2.0
// This test compares the throughput bounds of register tiles with eq. (K) of models/README.md. It
// also checks the cycles of calls, and how measured rates replace the bounds.
#include "throughput.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>

#include "close_to.h"
#include "vector_units.h"

using namespace tileplan;

namespace {

// By default, a vector unit has 16 lanes and 32 registers. Each cycle it starts 2 multiply-adds, 2
// loads, 1 store and 4 fused micro-operations in all, and a multiply-add takes 4 cycles.
const VectorUnit kAvx512;

Machine machine_of(const VectorUnit& unit) {
  Machine machine;
  machine.vector = unit;
  return machine;
}

double call_efficiency(const KernelRate& rate, double steps) {
  const double useful = steps * rate.cycles_per_step;
  return useful / (useful + rate.cycles_per_call);
}

}  // namespace

TEST_CASE("throughput: AVX-512 tiles are bound by FMA units, latency or loads") {
  constexpr double kTolerance = 0.01;
  const StepCycles best = separate_broadcast({14, 2}, kAvx512);
  CHECK(best.cycles == close_to(14));
  CHECK(best.efficiency == close_to(1));
  CHECK(best.registers == 31);
  CHECK(separate_broadcast({8, 2}, kAvx512).efficiency == close_to(1));
  CHECK(separate_broadcast({8, 2}, kAvx512).registers == 19);
  CHECK(separate_broadcast({9, 3}, kAvx512).efficiency == close_to(1));
  CHECK(separate_broadcast({9, 3}, kAvx512).registers == 31);

  // Register tiles with one vector use embedded broadcasts, which leave issue slots for the loop
  // control.
  struct Row {
    int pixels;
    double efficiency;
  };
  constexpr std::array<Row, 5> kOneVector = {
      {{4, 0.50}, {6, 0.75}, {8, 0.89}, {15, 0.94}, {28, 0.97}}};
  for (const Row& row : kOneVector) {
    CAPTURE(row.pixels);
    const RegisterTile tile{row.pixels, 1};
    CHECK(std::abs(embedded_broadcast(tile, kAvx512).efficiency - row.efficiency) < kTolerance);
  }
}

TEST_CASE("throughput: AVX2 tiles have half the registers, Haswell a longer latency") {
  CHECK(separate_broadcast({6, 2}, avx2(4)).efficiency == close_to(1));
  CHECK(separate_broadcast({6, 2}, avx2(4)).registers == 15);
  CHECK(separate_broadcast({4, 3}, avx2(4)).efficiency == close_to(1));
  CHECK(separate_broadcast({4, 3}, avx2(4)).registers == 16);
  CHECK(separate_broadcast({4, 2}, avx2(5)).efficiency == close_to(0.8));
}

TEST_CASE("throughput: an embedded broadcast costs one load for each multiply-add") {
  const StepCycles step = embedded_broadcast({14, 2}, kAvx512);
  CHECK(step.cycles == close_to((2 + 28) / 2.0));
  CHECK(step.registers == 30);
}

TEST_CASE("throughput: taps of a depthwise step share multiply-adds and strips") {
  VectorUnit unit = kAvx512;
  unit.arithmetic = Arithmetic::dot_bytes;
  const RegisterTile tile{.pixels = 14, .vectors = 1, .vector_input = true, .row = 14};
  CHECK(generated_step(tile, unit).cycles == close_to((14 / 3.0 + 16 / 3.0) / 2));
  CHECK(generated_step(tile, unit).registers == 14 + 3);
  unit.arithmetic = Arithmetic::dot_bf16;
  CHECK(generated_step(tile, unit).cycles == close_to((28 / 3.0 + 16 / 3.0) / 2));
  // In each lane, an instruction multiplies one widened element, and widening it takes two more.
  unit.arithmetic = Arithmetic::widened_fma;
  CHECK(generated_step(tile, unit).cycles == close_to((14 + 2 * 16 / 3.0) / 2));
  // The sums and two operands leave 4 registers for the weights of nine taps, which therefore take
  // three passes over the input.
  CHECK(
      generated_step({.pixels = 26, .vectors = 1, .vector_input = true, .row = 26}, unit).cycles ==
      close_to((26 + 3 * 2 * 28 / 3.0) / 2));
  unit.arithmetic = Arithmetic::dot_bf16;
  // Emitted C keeps strips in memory. A step loads 14 vectors of them and one of weights.
  unit.dots.fused_conversions = false;
  CHECK(generated_step(tile, unit).cycles == close_to((14 + 1) / 2.0));
}

TEST_CASE("throughput: the loop control takes issue slots") {
  VectorUnit narrow;
  narrow.issue_width = 1;
  CHECK(separate_broadcast({2, 1}, narrow).cycles == close_to(2 + 1 + 2 + 2));
}

TEST_CASE("throughput: tiles fit with accumulators, weight vectors and one broadcast register") {
  CHECK(fits_registers({14, 2}, kAvx512));
  CHECK_FALSE(fits_registers({15, 2}, kAvx512));  // The tile needs 30 + 2 + 1 registers.
  CHECK(fits_registers({31, 1}, kAvx512));        // The multiply-add includes the broadcast.
  CHECK_FALSE(fits_registers({32, 1}, kAvx512));
  CHECK(
      // AVX2 has no embedded broadcast, so the tile needs 14 + 1 + 1 registers.
      fits_registers({14, 1}, avx2(4)));
  CHECK_FALSE(fits_registers({15, 1}, avx2(4)));
  CHECK_FALSE(fits_registers({5, 3}, avx2(4)));
}

TEST_CASE("throughput: short reductions pay for loading and storing the accumulators") {
  const KernelRate rate = kernel_rate({14, 2}, machine_of(kAvx512));
  CHECK(rate.cycles_per_call == close_to(28 / 2.0 + 28 + 20));
  struct Row {
    double steps, efficiency;
  };
  constexpr std::array<Row, 5> kLengths = {
      {{3, 0.40}, {16, 0.78}, {64, 0.94}, {128, 0.97}, {512, 0.99}}};
  for (const Row& row : kLengths) {
    CAPTURE(row.steps);
    CHECK(std::abs(call_efficiency(rate, row.steps) - row.efficiency) < 0.01);
  }
}

TEST_CASE("throughput: a measured rate replaces the bound, for its own tile only") {
  Machine machine = machine_of(kAvx512);
  machine.rates.kernels = {
      {.pixels = 14, .vectors = 2, .cycles_per_step = 14.5, .cycles_per_call = 70}};
  CHECK(kernel_rate({14, 2}, machine).cycles_per_step == 14.5);
  CHECK(kernel_rate({14, 2}, machine).cycles_per_call == 70);
  CHECK(kernel_rate({13, 2}, machine).cycles_per_step == close_to(13));
}

TEST_CASE("throughput: short calls lie on a line of their own, which meets that of longer ones") {
  const KernelRate rate{.pixels = 2,
                        .vectors = 2,
                        .cycles_per_step = 4,
                        .cycles_per_call = 2,
                        .cycles_per_short_call = 18};
  const CallCycles cycles(rate);
  CHECK(cycles.of(1) == close_to(18 + 3));
  CHECK(cycles.of(8) == close_to(18 + 24));
  CHECK(cycles.of(16) == close_to(66));
  CHECK(cycles.of(100) == close_to(402));
  CHECK(cycles.at(8).step == close_to(3));
  CHECK(cycles.at(8).of(100) == close_to(318));
  CallCycles two;
  two.add(cycles, 2);
  CHECK(two.of(8) == close_to(84));
}

TEST_CASE("throughput: the cycles per step never rise with the steps of a call") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> share(0, 1);
  for (int trial = 0; trial < 100; ++trial) {
    KernelRate rate{.cycles_per_step = 0.5 + 30 * share(random),
                    .cycles_per_call = 60 * share(random)};
    rate.cycles_per_short_call = share(random) * CallCycles(rate).of(kShortCallSteps);
    const CallCycles cycles(rate);
    for (int steps = 1; steps < 64; ++steps)
      CHECK(cycles.of(steps + 1) / (steps + 1) <= cycles.of(steps) / steps * (1 + 1e-12));
  }
}

TEST_CASE("throughput: without a measurement, short calls lie on the line of all") {
  const CallCycles cycles(KernelRate{.cycles_per_step = 4, .cycles_per_call = 2});
  CHECK(cycles.of(1) == close_to(6));
}

TEST_CASE("throughput: spilled registers are loaded and stored in every step") {
  // A 17 x 2 tile needs 37 registers. Its 5 spills add 7.5 cycles to the bound of 17.
  const KernelRate rate = kernel_rate({17, 2}, machine_of(kAvx512));
  CHECK(rate.cycles_per_step == close_to(24.5));
}

TEST_CASE("throughput: a vector input is a load per multiply-add and a register less") {
  const RegisterTile tile{.pixels = 14, .vectors = 2, .vector_input = true};
  CHECK(generated_step(tile, kAvx512).cycles == close_to(15));  // Loads take (28 + 2) / 2 cycles.
  CHECK(generated_step(tile, kAvx512).registers == 30);
  CHECK(fits_registers({15, 2, true}, kAvx512));
  CHECK(fits_registers({14, 1, true}, avx2(4)));  // The tile needs 14 + 1 registers and a mask.
  CHECK_FALSE(fits_registers({15, 1, true}, avx2(4)));
}

TEST_CASE(
    "throughput: vectors of pixels are loaded once for all channels, mostly across two lines") {
  const RegisterTile one{.pixels = 7, .vectors = 4, .vector_input = true, .channels = 1};
  CHECK(generated_step(one, kAvx512).cycles == close_to((28 * 2.875 + 1) / 2));
  CHECK(generated_step(one, kAvx512).registers == 29);
  const RegisterTile four{.pixels = 4, .vectors = 4, .vector_input = true, .channels = 4};
  // A step has 16 multiply-adds, two per cycle.
  CHECK(generated_step(four, kAvx512).cycles == close_to(8));
  CHECK(generated_step(four, kAvx512).registers == 16 + 4 + 1);
  CHECK(generated_step(four, avx2(4)).registers == 16 + 4 + 2);
}

TEST_CASE("throughput: vectors of pixels take what as many broadcasts and vectors were measured") {
  Machine machine = machine_of(kAvx512);
  machine.rates.kernels = {
      {.pixels = 4, .vectors = 4, .cycles_per_step = 8.5, .cycles_per_call = 40}};
  const RegisterTile tile{.pixels = 8, .vectors = 2, .vector_input = true, .channels = 4};
  CHECK(kernel_rate(tile, machine).cycles_per_step == close_to(8.5));
}

TEST_CASE("throughput: measured rates are those of broadcasts") {
  Machine machine = machine_of(kAvx512);
  machine.rates.kernels = {
      {.pixels = 14, .vectors = 2, .cycles_per_step = 14.5, .cycles_per_call = 40}};
  CHECK(kernel_rate({14, 2, true}, machine).cycles_per_step == close_to(15));
}

TEST_CASE("throughput: products of two instructions count twice and need a register between them") {
  VectorUnit unit = kAvx512;
  unit.arithmetic = Arithmetic::multiply_s32;
  CHECK(generated_step({13, 2}, unit).cycles == close_to(26));
  CHECK(generated_step({13, 2}, unit).registers == 26 + 2 + 1 + 1);
  unit.arithmetic = Arithmetic::dot_s16;
  CHECK(generated_step({13, 2}, unit).cycles == close_to(26));
  unit.dots.integers = true;
  CHECK(generated_step({14, 2}, unit).cycles == close_to(14));
  CHECK(generated_step({31, 1}, unit).registers == 32);
  // The multiply-add cannot read bytes of the input from memory, so a register holds each
  // broadcast.
  unit.arithmetic = Arithmetic::dot_bytes;
  CHECK(generated_step({30, 1}, unit).registers == 32);
  CHECK(generated_step({14, 2, true}, unit).registers == 31);
}

TEST_CASE("throughput: each arithmetic has measured rates of its own") {
  Machine machine = machine_of(kAvx512);
  machine.rates.kernels = {
      {.pixels = 14, .vectors = 2, .cycles_per_step = 14.5, .cycles_per_call = 40}};
  machine.rates.others = {
      {Arithmetic::dot_bytes, 2, {{.pixels = 14, .vectors = 2, .cycles_per_step = 15.5}}}};
  machine.vector.arithmetic = Arithmetic::dot_bytes;
  CHECK(kernel_rate({14, 2}, machine).cycles_per_step == close_to(15.5));
  machine.vector.arithmetic = Arithmetic::dot_bf16;
  CHECK(kernel_rate({14, 2}, machine).cycles_per_step == close_to(14));
}

TEST_CASE("throughput: a tile is no faster than the measured rate of its instruction") {
  Machine machine = machine_of(kAvx512);
  machine.rates.others = {{Arithmetic::dot_bf16, 0.5, {}}};
  machine.vector.arithmetic = Arithmetic::dot_bf16;
  // One of 28 products begins every two cycles, instead of two in each cycle.
  CHECK(kernel_rate({14, 2}, machine).cycles_per_step == close_to(28 / 0.5));
  const RegisterTile row{.pixels = 14, .vectors = 1, .vector_input = true, .row = 14};
  CHECK(kernel_rate(row, machine).cycles_per_step == close_to(28 / 3.0 / 0.5));
  // Widened bf16 has the rates of f32.
  machine.vector.arithmetic = Arithmetic::widened_fma;
  machine.rates.kernels = {{.pixels = 14, .vectors = 2, .cycles_per_step = 14.5}};
  CHECK(kernel_rate({14, 2}, machine).cycles_per_step == close_to(14.5));
}
