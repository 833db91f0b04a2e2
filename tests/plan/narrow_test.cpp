// SPDX-License-Identifier: Apache-2.0
// This test plans for machines with a choice of units: vectors of half the width with the same peak
// rate, tiles of AMX, and dot products of bf16 that may be slower than widened bf16.
#include <doctest/doctest.h>

#include "close_to.h"
#include "tileplan/candidates.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"
#include "tileplan/explain.h"
#include "tileplan/plan.h"
#include "units.h"

using namespace tileplan;

namespace {

/// Returns a machine like Zen 4, which executes one multiply-add and one load of 64 bytes per
/// cycle, or two each of 32 bytes.
Machine double_pumped() {
  Machine machine = load_machine("xeon-gold-6130");
  machine.rates.kernels.clear();
  machine.vector.fma_units = 1;
  machine.vector.load_ports = 1;
  machine.narrow = NarrowUnit{.vector = machine.vector};
  VectorUnit& narrow = machine.narrow->vector;
  narrow.isa = Isa::avx512vl;
  narrow.lanes = 8;
  narrow.fma_units = 2;
  narrow.load_ports = 2;
  return machine;
}

constexpr const char* kGroupsOfEight = "g4mb1ic32ih14oc32oh14kh3ph1";

}  // namespace

TEST_CASE("narrow: groups of eight channels run in narrow vectors, full vectors stay wide") {
  const Machine machine = double_pumped();
  const Plan grouped = plan(parse_problem(kGroupsOfEight), machine);
  CHECK(grouped.candidates.front().schedule.isa == Isa::avx512vl);
  const Plan without = plan(parse_problem(kGroupsOfEight), load_machine("xeon-gold-6130"));
  CHECK_FALSE(without.candidates.front().schedule.isa);
  const Plan whole = plan(parse_problem("mb1ic64ih14oc64oh14kh3ph1"), machine);
  for (const Candidate& each : whole.candidates) CHECK_FALSE(each.schedule.isa);
}

TEST_CASE(
    "narrow: along channels, where vectors of pixels would be fastest but for their packing") {
  const Plan found = plan(parse_problem("mb1ic16ih16oc8oh16kh3ph1"), double_pumped());
  CHECK(found.candidates.front().schedule.isa == Isa::avx512vl);
}

TEST_CASE("narrow: explain and plan_of predict what the plan says, and the bound lies below") {
  const Machine machine = double_pumped();
  for (const char* text : {kGroupsOfEight, "mb1ic24ih17oc24oh17kh3ph1", "m65n24k129"}) {
    const Problem problem = parse_problem(text);
    const Plan found = plan(problem, machine);
    CAPTURE(text);
    for (const Candidate& each : found.candidates) {
      CAPTURE(to_string(each.schedule));
      CHECK(found.certificate.bound <= each.prediction.seconds);
      CHECK(explain(problem, machine, each.schedule).candidate.prediction.seconds ==
            close_to(each.prediction.seconds));
      CHECK(plan_of(problem, machine, each.schedule).candidates.front().prediction.seconds ==
            close_to(each.prediction.seconds));
    }
  }
}

TEST_CASE("narrow: a candidate list counts vectors of one width and says so") {
  const CandidateList list =
      candidates(parse_problem(kGroupsOfEight), double_pumped(), {.top = 40});
  CHECK(list.machine.vector.lanes == 8);
  for (const ListedCandidate& each : list.candidates) {
    CHECK(each.candidate.schedule.isa == Isa::avx512vl);
    CHECK(unit_of(each.candidate.schedule, list.machine).lanes == 8);
  }
}

TEST_CASE("narrow: blocks of channels that narrow doubles do not fill stay wide") {
  const Plan found = plan(parse_problem("--dt=f64 mb1ic12ih9oc12oh9kh3ph1"), double_pumped(),
                          {.layout = LayoutChoice::blocked});
  for (const Candidate& each : found.candidates) CHECK_FALSE(each.schedule.isa);
}

TEST_CASE("tiles: plans for another machine choose tiles for bytes, and explain agrees") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.rates.kernels.clear();
  machine.vector.dots = {.integers = true, .bf16 = true};
  machine.tiles = machine.vector;
  machine.tiles->isa = Isa::amx;
  machine.tiles->registers = 8;
  machine.tiles->fma_units = 1;
  machine.tiles->fma_latency = 1;
  // The outputs of m17n33k70 have the type of the sums. If they were s8, tiles would need a further
  // pass that converts the sums, and vectors would be predicted to be faster. For 545 summands, the
  // strips of tiles take more room than those of vectors.
  for (const char* text : {"--dt=u8:s8:s32 mb1ic64ih28oc64oh28kh3ph1", "--dt=bf16 m128n96k512",
                           "--dt=bf16 m128n96k545", "--dt=s8:s8:s32 m17n33k70"}) {
    CAPTURE(text);
    const Problem problem = parse_problem(text);
    const Plan found = plan(problem, machine);
    CHECK(found.candidates.front().schedule.isa == Isa::amx);
    for (const Candidate& each : found.candidates) {
      CAPTURE(to_string(each.schedule));
      CHECK(found.certificate.bound <= each.prediction.seconds);
      const Prediction alone = explain(problem, machine, each.schedule).candidate.prediction;
      CHECK(alone.seconds == close_to(each.prediction.seconds));
      CHECK(alone.bound_bytes == each.prediction.bound_bytes);
    }
  }
  // Tiles are faster, so the certificate is about their strips and register tiles, whose divisors
  // differ from those of vectors.
  const Problem product = parse_problem("--dt=bf16 m128n96k512");
  Machine vectors = machine;
  vectors.tiles.reset();
  const Plan on_tiles = plan(product, machine, {.certify_full = true});
  const Plan on_vectors = plan(product, vectors, {.certify_full = true});
  REQUIRE(on_tiles.certificate.optimum < on_vectors.certificate.optimum);
  CHECK(on_tiles.certificate.divisibility.front().divisors !=
        on_vectors.certificate.divisibility.front().divisors);
  const Plan depthwise =
      plan(parse_problem("--dt=u8:s8:s32 g64mb1ic64oc64ih14oh14kh3ph1"), machine);
  CHECK_FALSE(depthwise.candidates.front().schedule.isa);
}

TEST_CASE("widened: plans widen bf16 where vdpbf16ps is slower, and explain agrees") {
  Machine machine = load_machine("xeon-gold-6130");
  machine.vector.dots = {.integers = true, .bf16 = true};
  for (const double rate : {0.5, 2.0}) {
    machine.rates.others = {{Arithmetic::dot_bf16, rate, {}}};
    // Half a vdpbf16ps per cycle adds 16 products, and two multiply-adds of f32 add 32.
    CHECK(peak_flops(machine_for(machine, ElementType::bf16)) ==
          close_to(std::max(1.0, rate) * peak_flops(machine)));
    for (const char* text :
         {"mb1ic64ih28oc64oh28kh3ph1", "m128n96k512", "g64mb1ic64oc64ih14oh14kh3ph1"}) {
      CAPTURE(rate);
      CAPTURE(text);
      const Problem problem = parse_problem(std::string("--dt=bf16 ") + text);
      const Plan found = plan(problem, machine);
      CHECK(found.candidates.front().schedule.widen == (rate < 1));
      for (const Candidate& each : found.candidates) {
        CAPTURE(to_string(each.schedule));
        CHECK(found.certificate.bound <= each.prediction.seconds);
        CHECK(explain(problem, machine, each.schedule).candidate.prediction.seconds ==
              close_to(each.prediction.seconds));
      }
    }
  }
  CHECK_FALSE(plan(parse_problem("m128n96k512"), machine).candidates.front().schedule.widen);
}

TEST_CASE("narrow: a unit that the machine lacks is refused by name") {
  Schedule schedule = parse_schedule("[T(32,k), V(k)] isa=avx2");
  CHECK_THROWS_WITH_AS(unit_of(schedule, double_pumped()),
                       "schedule: isa=avx2; xeon-gold-6130 has avx512 and avx512vl", Error);
  schedule.isa = Isa::avx512vl;
  CHECK_THROWS_WITH_AS(unit_of(schedule, load_machine("xeon-gold-6130")),
                       "schedule: isa=avx512vl; xeon-gold-6130 has avx512", Error);
}

TEST_CASE("machines for C have no conversions in registers") {
  const Machine machine = double_pumped();
  CHECK(machine.vector.dots.fused_conversions);
  for (const Target target :
       {Target::scalar, Target::avx2, Target::avx512, Target::avx512vl, Target::neon}) {
    const Machine in_c = machine_for(machine, target);
    CHECK_FALSE(in_c.vector.dots.fused_conversions);
    CHECK_FALSE(in_c.narrow.has_value());
  }
}
