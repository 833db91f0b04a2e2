// SPDX-License-Identifier: Apache-2.0
// Lists for other tuners: diverse by count, sorted out by what they move, the same every time.
#include "candidate_list.h"

#include <doctest/doctest.h>

#include <set>
#include <utility>

#include "listed.h"

using namespace tileplan;

TEST_CASE("candidate_list: 200 of a layer differ in bytes and have 20 microkernels and orders") {
  for (const char* layer : {"yolo9000-12", "resnet18-9", "resnet18-12"}) {
    CAPTURE(layer);
    const CandidateList list = list_of(layer, 200);
    std::set<std::vector<double>> moved;
    std::set<std::pair<std::string, std::string>> pairs;
    for (const ListedCandidate& each : list.candidates) {
      std::vector<double> bytes;
      for (const LevelPrediction& level : each.candidate.prediction.levels)
        bytes.push_back(level.bytes);
      moved.insert(bytes);
      pairs.emplace(each.microkernel, each.order_class);
      CHECK(each.tiles.size() == list.machine.caches.size());
    }
    CHECK(list.candidates.size() == 200);
    CHECK(moved.size() == list.candidates.size());
    CHECK(pairs.size() >= 20);
  }
}

TEST_CASE("candidate_list: every schedule covers the problem and is predicted as it says") {
  const Problem problem = parse_problem("resnet18-9");
  const Machine machine = load_machine("xeon-gold-6130");
  for (const ListedCandidate& each : list_of("resnet18-9", 60).candidates) {
    const Plan alone = plan_of(problem, machine, each.candidate.schedule);
    CHECK(each.candidate.prediction.seconds ==
          doctest::Approx(alone.candidates.front().prediction.seconds));
    CHECK(each.candidate.prediction.bound_bytes == alone.candidates.front().prediction.bound_bytes);
  }
}

TEST_CASE("candidate_list: the first is the plan's choice; fewer are asked for, fewer come") {
  const CandidateList list = list_of("resnet18-9", 3);
  CHECK(list.candidates.size() == 3);
  const Plan first = plan(parse_problem("resnet18-9"), load_machine("xeon-gold-6130"));
  CHECK(to_string(list.candidates.front().candidate.schedule) ==
        to_string(first.candidates.front().schedule));
}
