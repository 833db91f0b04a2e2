// SPDX-License-Identifier: Apache-2.0
// This test checks that candidates differ in the bytes they load, and that the first one is the
// plan's choice. It also checks their predictions, their layouts and the counts of their variety.
#include <doctest/doctest.h>

#include <algorithm>

#include "candidate_pool.h"
#include "close_to.h"
#include "example_lists.h"
#include "layout_feasibility.h"
#include "list_variety.h"
#include "merge_dims.h"
#include "model_prefetches.h"
#include "rank.h"
#include "tileplan/error.h"

using namespace tileplan;

TEST_CASE("candidates: each layer of the study has 200, and none moves what another does") {
  const std::string table = std::string(TILEPLAN_LAYERS) + "/candidates_study.csv";
  const std::vector<Problem> layers = load_layers(table);
  CHECK(layers.size() == 10);
  for (const Problem& layer : layers) {
    CAPTURE(name_of(layer));
    const CandidateList list = candidates(layer, load_machine("xeon-gold-6130"), {.top = 200});
    const ListVariety variety = variety_of(list);
    CHECK(list.candidates.size() == 200);
    CHECK(variety.pairs >= 20);
    CHECK(variety.same_volumes == 0);
    for (const ListedCandidate& each : list.candidates)
      CHECK(each.tiles.size() == list.machine.caches.size());
  }
}

TEST_CASE("variety: counts pairs of microkernel and order class, and equal bytes") {
  const auto listed = [](const char* microkernel, const char* order, double l1, double l2) {
    ListedCandidate each;
    each.microkernel = microkernel;
    each.order_class = order;
    each.candidate.prediction.levels = {{.name = "L1", .bytes = l1}, {.name = "L2", .bytes = l2}};
    return each;
  };
  CandidateList list;
  list.candidates = {listed("U(2,w) V(k)", "k", 64, 128), listed("U(2,w) V(k)", "w", 64, 192),
                     listed("U(2,w) V(k)", "k", 64, 128.2)};
  CHECK(variety_of(list).pairs == 2);
  CHECK(variety_of(list).same_volumes == 1);
}

TEST_CASE("candidates: every schedule covers the problem and is predicted as it says") {
  const Problem problem = parse_problem("resnet18-9");
  const Machine machine = load_machine("xeon-gold-6130");
  for (const ListedCandidate& each : list_of("resnet18-9", 60).candidates) {
    const Plan alone = plan_of(problem, machine, each.candidate.schedule);
    CHECK(each.candidate.prediction.seconds ==
          close_to(alone.candidates.front().prediction.seconds));
    CHECK(each.candidate.prediction.bound_bytes == alone.candidates.front().prediction.bound_bytes);
  }
}

TEST_CASE("candidates: blocks of channels are expanded as nhwc is, each gets half of the list") {
  const CandidateList list = list_of("resnet18-12", 200);
  int blocked = 0;
  for (const ListedCandidate& each : list.candidates)
    blocked += each.candidate.schedule.out == Layout::nChw16c ? 1 : 0;
  CHECK(blocked == 100);
}

TEST_CASE("candidates: kernels can read the input of every candidate") {
  for (const char* layer : {"resnet18-1", "mb1ic30ih57oc50oh57kh5ph2"}) {
    CAPTURE(layer);
    const CandidateList list = list_of(layer, 200);
    const Computation computation =
        computation_of(list.problem, list.candidates.front().candidate.schedule);
    int pixels = 0;
    for (const ListedCandidate& each : list.candidates) {
      const Schedule& own = each.candidate.schedule;
      CAPTURE(to_string(own));
      const Nest nest = resolve(own, computation, list.machine.vector.lanes);
      const TensorLayout input = layout_of(computation, Operand::input, own.in);
      CHECK(why_infeasible(computation, own, nest, branches_of(nest), input).empty());
      pixels += own.out == Layout::nchw ? 1 : 0;
    }
    CHECK(pixels > 10);
  }
}

TEST_CASE("candidates: no schedule of the plan that moves the same is predicted to be faster") {
  const Problem problem = parse_problem("yolo9000-5");
  const Machine machine = load_machine("xeon-gold-6130");
  const CandidateList list = candidates(problem, machine, {.top = 200});
  const Plan found = plan(problem, machine, {.top = 200});
  for (std::size_t i = 1; i < list.candidates.size(); ++i) {
    const Prediction& own = list.candidates[i].candidate.prediction;
    for (const Candidate& other : found.candidates) {
      const bool same = std::equal(
          own.levels.begin(), own.levels.end(), other.prediction.levels.begin(),
          [](const LevelPrediction& a, const LevelPrediction& b) { return a.bytes == b.bytes; });
      const bool same_layout =
          layouts_of(list.candidates[i].candidate.schedule) == layouts_of(other.schedule);
      const double tie = same_layout ? 1 : 1 + kTie;
      if (same) CHECK(own.seconds <= tie * other.prediction.seconds);
    }
  }
}

TEST_CASE("candidates: no other prefetch is predicted to be faster") {
  const CandidateList list = list_of("resnet18-9", 200);
  Machine used = list.machine;
  used.cores = 1;
  const Computation computation =
      computation_of(list.problem, list.candidates.front().candidate.schedule);
  int ahead = 0;
  for (const ListedCandidate& each : list.candidates) {
    const Candidate& own = each.candidate;
    const Candidate best = with_model_prefetches({computation, used, {}}, own.schedule);
    CHECK(own.prediction.seconds <= best.prediction.seconds);
    ahead += own.schedule.ahead ? 1 : 0;
  }
  CHECK(ahead > 100);
}

TEST_CASE("candidates: the first is the plan's choice; fewer are asked for, fewer come") {
  const CandidateList list = list_of("resnet18-9", 3);
  CHECK(list.candidates.size() == 3);
  const Plan first = plan(parse_problem("resnet18-9"), load_machine("xeon-gold-6130"));
  CHECK(to_string(list.candidates.front().candidate.schedule) ==
        to_string(first.candidates.front().schedule));
}

TEST_CASE("candidates: a list without candidates is refused for every algorithm") {
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::winograd, Algorithm::any})
    CHECK_THROWS_WITH_AS(candidates(parse_problem("resnet18-9"), load_machine("xeon-gold-6130"),
                                    {.top = 0, .algorithm = algorithm}),
                         "options: top is 0; must be at least 1", Error);
}
