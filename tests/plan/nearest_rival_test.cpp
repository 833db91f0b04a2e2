// SPDX-License-Identifier: Apache-2.0
// This test checks the order classes of schedules whose tiles are known. It also compares the
// nearest rival, which is the best candidate with another order class, with all candidates of a
// plan.
#include <doctest/doctest.h>

#include <limits>

#include "tileplan/explain.h"
#include "tileplan/plan.h"

namespace tileplan {
namespace {

/// Returns a machine with one cache, of which `elements` floats are usable.
Machine machine_with_l1(std::int64_t elements) {
  Machine machine = load_machine("xeon-gold-6130");
  machine.caches.resize(1);
  machine.caches.front().capacity_bytes = 4 * elements;
  machine.caches.front().usable = 1;
  return machine;
}

std::string classes_in(const std::string& schedule, std::int64_t elements) {
  return explain(parse_problem("m64n64k64"), machine_with_l1(elements), parse_schedule(schedule))
      .order.classes;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("order class: it is named by the innermost loop around the tile that the cache holds") {
  // The register tile of 8 x 16 outputs fits into 1024 floats, but not with all 64 steps of k.
  CHECK(classes_in("[T(8,i), T(4,j), T(64,k), U(8,i), V(j)]", 1024) == "k");
  CHECK(classes_in("[T(8,i), T(64,k), T(4,j), U(8,i), V(j)]", 256) == "j");
  CHECK(classes_in("[T(4,j), T(64,k), T(8,i), U(8,i), V(j)]", 256) == "i");
  // The three matrices have 12288 elements together. The cache holds them, so no loop is around
  // the tile.
  CHECK(classes_in("[T(8,i), T(4,j), T(64,k), U(8,i), V(j)]", 32768) == "-");
}

TEST_CASE("order class: Winograd schedules have none, and no rival") {
  const Machine machine = load_machine("xeon-gold-6130");
  const Problem problem = parse_problem("resnet18-9");
  const Plan found = plan(problem, machine, {.top = 1, .algorithm = Algorithm::winograd});
  const Explanation explained = explain(problem, machine, found.candidates.front().schedule);
  CHECK(explained.order.classes.empty());
  CHECK_FALSE(nearest_rival(explained, machine));
  CHECK_FALSE(has(to_text(explained), "order class"));
}

TEST_CASE("nearest rival: all candidates that are predicted to be faster have the same class") {
  const Machine machine = load_machine("xeon-gold-6130");
  for (const char* text : {"resnet18-9", "m221n272k64"}) {
    CAPTURE(text);
    const Problem problem = parse_problem(text);
    const Plan found = plan(problem, machine, {.top = std::numeric_limits<int>::max()});
    Explanation explained = explain(problem, machine, found.candidates.front().schedule);
    const auto rival = nearest_rival(explained, machine);
    REQUIRE(rival);
    CHECK(rival->classes != explained.order.classes);
    CHECK(explain(problem, machine, rival->candidate.schedule).order.classes == rival->classes);
    for (const Candidate& each : found.candidates)
      if (each.prediction.seconds < rival->candidate.prediction.seconds)
        CHECK(explain(problem, machine, each.schedule).order.classes == explained.order.classes);
    CHECK_FALSE(has(to_text(explained), "nearest rival"));
    explained.order.rival = rival;
    CHECK(has(to_text(explained), "nearest rival of another class: " + rival->classes));
    CHECK(has(to_json(explained), "\"order_class\": \"" + rival->classes + '"'));
  }
}

TEST_CASE("nearest rival: a plan with rivals has the list of plan(), and gives the same rival") {
  const Machine machine = load_machine("xeon-gold-6130");
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::any}) {
    const Problem problem = parse_problem("mb1ic64ih28oc64oh28kh3ph1");
    const Options options{.top = 4, .algorithm = algorithm};
    const PlanWithRivals found = plan_with_rivals(problem, machine, options);
    CHECK(found.plan.candidates == plan(problem, machine, options).candidates);
    CHECK(found.rivals.size() > found.plan.candidates.size());
    for (const Candidate& each : found.plan.candidates) {
      const Explanation explained = explain(problem, machine, each.schedule);
      const auto rival = nearest_rival(explained, found);
      const auto planned = nearest_rival(explained, machine);
      REQUIRE(rival.has_value() == planned.has_value());
      CHECK(rival.has_value() == !each.schedule.winograd);
      if (!rival) continue;
      CHECK(rival->candidate == planned->candidate);
      CHECK(rival->classes == planned->classes);
    }
  }
}

TEST_CASE("nearest rival: the text says what the rival has most more of") {
  const Machine machine = load_machine("xeon-gold-6130");
  Explanation explained = explain(parse_problem("m64n64k32"), machine,
                                  parse_schedule("[T(8,i), T(4,j), T(32,k), U(8,i), V(j)]"));
  Prediction& own = explained.candidate.prediction;
  own.seconds = 1e-3;
  Rival rival{.candidate = explained.candidate, .classes = "j/-/-"};
  Prediction& other = rival.candidate.prediction;
  const auto said = [&](const std::string& part) {
    explained.order.rival = rival;
    return has(to_text(explained), part);
  };
  other.seconds = 1.25e-3;
  other.compute_seconds = own.compute_seconds + 1000 / machine.clock.hertz;
  CHECK(said("j/-/-, predicted 1.250 ms (25.0 % more, mostly by 1000 more cycles of computing)"));
  other.levels[1].bytes = own.levels[1].bytes + 2500;
  other.levels[1].burst_seconds = own.levels[1].burst_seconds + 1e-4;
  CHECK(said("(25.0 % more, mostly by 2.50 kB more into L2)"));
  std::swap(own, other);
  CHECK(said("(20.0 % less, mostly by 2.50 kB less into L2)"));
}

}  // namespace tileplan
