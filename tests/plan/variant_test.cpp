// SPDX-License-Identifier: Apache-2.0
// This test plans the variants of the GEMM family that keep C in registers, and explains them.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>

#include "gemm_order.h"
#include "merge_dims.h"
#include "tileplan/error.h"
#include "tileplan/explain.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

using namespace tileplan;

namespace {

Machine machine() { return load_machine("xeon-gold-6130"); }

Plan planned(const std::string& problem, GemmVariant variant, int threads = 1) {
  return plan(parse_problem(problem), machine(), {.threads = threads, .variant = variant});
}

}  // namespace

TEST_CASE("variant: all candidates of a plan have its loops") {
  for (const GemmVariant variant : {GemmVariant::b3a2c0, GemmVariant::a3b2c0})
    for (const char* problem :
         {"m480n512k384", "m480n512k384ta1tb1", "b3m96n80k64sa0", "m37n41k53"})
      for (const int threads : {1, 4}) {
        CAPTURE(problem);
        const Plan found = planned(problem, variant, threads);
        for (const Candidate& each : found.candidates) {
          CAPTURE(to_string(each.schedule));
          const Computation computation = computation_of(found.problem, each.schedule);
          const Nest nest = resolve(each.schedule, computation, machine().vector.lanes);
          CHECK(has_gemm_order(computation, nest, variant));
        }
      }
}

TEST_CASE("variant: a product whose loops fit both variants has plans of both") {
  for (const GemmVariant variant : {GemmVariant::b3a2c0, GemmVariant::a3b2c0})
    CHECK_FALSE(planned("m1n16k64", variant).candidates.empty());
}

TEST_CASE("variant: no candidate is predicted to be much faster than the best of all orders") {
  const Problem problem = parse_problem("m480n512k384");
  const double best = plan(problem, machine()).candidates.front().prediction.seconds;
  for (const GemmVariant variant : {GemmVariant::b3a2c0, GemmVariant::a3b2c0})
    CHECK(planned("m480n512k384", variant).candidates.front().prediction.seconds > 0.98 * best);
}

TEST_CASE("variant: kernels of both compute the product") {
  const Machine host = detect_machine();
  for (const GemmVariant variant : {GemmVariant::b3a2c0, GemmVariant::a3b2c0}) {
    const Plan found = plan(parse_problem("m96n112k80ta1"), host, {.variant = variant});
    CHECK(check_kernel(compile(found)).passed());
  }
}

TEST_CASE("variant: with plain weights, A and B are packed or read in place in all four ways") {
  for (const int threads : {1, 2}) {
    const Plan found = plan(parse_problem("m96n128k80"), machine(),
                            {.top = 1000,
                             .weights = WeightsChoice::plain,
                             .threads = threads,
                             .variant = GemmVariant::b3a2c0});
    std::array<int, 4> ways{};
    for (const Candidate& each : found.candidates) {
      CHECK(each.schedule.takes_plain_weights());
      const bool packs_a = each.schedule.pack_input.has_value();
      ++ways[(packs_a ? 2 : 0) + (each.schedule.weights_in_place ? 1 : 0)];
    }
    for (const int count : ways) CHECK(count > 0);
  }
}

TEST_CASE("variant: kernels with plain weights compute the product") {
  const Machine host = detect_machine();
  for (const int threads : {1, std::min(2, host.cores)}) {
    const Plan found =
        plan(parse_problem("m96n128k80"), host,
             {.weights = WeightsChoice::plain, .threads = threads, .variant = GemmVariant::b3a2c0});
    CHECK(check_kernel(compile(found)).passed());
  }
}

TEST_CASE("variant: explain compares the blocks with the closed form") {
  const Explanation explained =
      explain(parse_problem("m960n1024k512"), machine(),
              parse_schedule("[T(2,j), T(2,k), T(4,i), T(16,j), T(20,i), T(256,k), U(12,i), "
                             "U(2,j), V(j)]"));
  const GemmExplanation& gemm = *explained.gemm;
  CHECK(gemm.blocks == GemmBlocks{.mc = 240, .nc = 512, .kc = 256, .mr = 12, .nr = 32});
  // A panel of B has 256 x 32 floats, which fill the first cache of 32 KiB.
  CHECK(gemm.occupancy[1].operand == "B");
  CHECK(gemm.occupancy[1].bytes == 256 * 32 * 4);
  CHECK(gemm.occupancy[1].share == 1);
  CHECK(gemm.closed_form->mr == 12);
  CHECK(to_text(explained).find("variant B3A2C0: B in L3, A in L2, C in registers") !=
        std::string::npos);
  CHECK(to_json(explained).find("\"variant\": \"B3A2C0\"") != std::string::npos);
}

TEST_CASE("variant: names are read in any case") {
  CHECK(parse_gemm_variant("b3a2c0") == GemmVariant::b3a2c0);
  CHECK(to_string(GemmVariant::c3a2b0) == "C3A2B0");
  CHECK_THROWS_WITH_AS(parse_gemm_variant("A2B3C0"),
                       "variant: \"A2B3C0\"; must be B3A2C0, A3B2C0, B3C2A0, A3C2B0, C3B2A0 or "
                       "C3A2B0",
                       Error);
}
