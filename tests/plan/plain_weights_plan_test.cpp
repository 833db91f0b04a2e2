// SPDX-License-Identifier: Apache-2.0
// This test checks plans whose kernels take plain weights.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "error_of.h"
#include "temporary_folder.h"
#include "tileplan/kernel.h"
#include "tileplan/plan.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

Plan plain_plan(const std::string& problem, int threads = 1) {
  Machine machine = detect_machine();
  machine.cores = 2;
  return plan(parse_problem(problem), machine,
              {.top = 6, .weights = WeightsChoice::plain, .threads = threads});
}

void check_candidates(const std::string& problem, int threads = 1) {
  CAPTURE(problem);
  const Plan plan = plain_plan(problem, threads);
  for (std::size_t rank = 0; rank < plan.candidates.size(); ++rank) {
    const Schedule& schedule = plan.candidates[rank].schedule;
    CAPTURE(to_string(schedule));
    CHECK(schedule.takes_plain_weights());
    CHECK(check_kernel(compile(plan, rank)).passed());
  }
}

}  // namespace

TEST_CASE("plain weights: every candidate takes them, compiles and is right") {
  check_candidates("m96n80k200");
  check_candidates("b3m17n37k64", 2);
  check_candidates("--dt=f64 m30n44k50");
  check_candidates("--dt=s32 m30n44k50");
  check_candidates("mb1ic24ih14oc40oh14kh3ph1", 2);
  check_candidates("g32mb1ic32ih14oc32oh14kh3ph1");
  check_candidates("mb1ic3ih20oc7oh20kh3ph1");
  check_candidates(
      "{ S[i,j,k] : 0 <= i < 6 and 0 <= j < 40 and 0 <= k < 3 } reads { S[i,j,k] -> A[i,j,k]; "
      "S[i,j,k] -> B[i,j,k] } writes { S[i,j,k] -> C[i,j] }");
}

TEST_CASE(
    "plain weights: vectors of a 3x3 layer's channels pack them, those of a product need not") {
  const auto in_place = [](const Candidate& each) { return each.schedule.weights_in_place; };
  // Output channels cannot be loaded as vectors, because neighbours are 64 x 9 weights apart.
  // Kernels that read the weights in place therefore have vectors of pixels, and broadcast single
  // weights.
  const auto loads_apart = [&](const Candidate& each) {
    return in_place(each) && to_string(each.schedule).find("V(k)") != std::string::npos;
  };
  CHECK(std::ranges::none_of(plain_plan("mb1ic64ih14oc64oh14kh3ph1").candidates, loads_apart));
  const Plan small = plain_plan("m6n32k64");
  CHECK(std::ranges::any_of(small.candidates, in_place));
}

TEST_CASE("plain weights: what has none is refused by name, and files keep the choice") {
  const Machine machine = load_machine("xeon-gold-6130");
  const auto why = [&](const std::string& problem, Algorithm algorithm) {
    return error_of([&] {
      plan(parse_problem(problem), machine,
           {.weights = WeightsChoice::plain, .algorithm = algorithm});
    });
  };
  CHECK(why("--dt=bf16 m8n32k8", Algorithm::direct) ==
        "schedule: plain weights of bf16, but kernels read them as strips or of another type; must "
        "be f32, f64 or s32, or packed beforehand");
  CHECK(why("mb1ic16ih8oc16oh8kh3ph1", Algorithm::winograd) ==
        "options: weights is plain; must be packed for the algorithm winograd, which transforms "
        "weights beforehand");
  CHECK(error_of([] { parse_weights_choice("oihw"); }) ==
        "weights: 'oihw'; must be packed or plain");
  const TemporaryFolder folder;
  const std::string path = folder / "layer.plan";
  const Plan saved = plan(parse_problem("m32n32k32"), machine, {.weights = WeightsChoice::plain});
  save_plan(saved, path);
  CHECK(load_plan(path) == saved);
}

}  // namespace tileplan
