// SPDX-License-Identifier: Apache-2.0
// This test checks which prefetches the model chooses for a schedule with given loops and layouts.
#include "prefetches.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "close_to.h"
#include "cost.h"
#include "merge_dims.h"
#include "model_prefetches.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

Machine one_core() {
  Machine machine = load_machine("xeon-gold-6130");
  machine.cores = 1;
  return machine;
}

int distance_of(const Machine& machine, const char* problem, const char* text) {
  const Schedule schedule = parse_schedule(text);
  const Computation computation = computation_of(parse_problem(problem), schedule);
  return weight_prefetch_distance({computation, machine, {}}, schedule,
                                  resolve(schedule, computation, machine.vector.lanes));
}

/// Returns the schedule of without_prefetches() as text, or "" when there is none.
std::string twin(const char* problem, const std::string& text) {
  const Machine machine = one_core();
  const Schedule schedule = parse_schedule(text);
  const Computation computation = computation_of(parse_problem(problem), schedule);
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  NestPredictor predictor(computation, nest, schedule, machine, {});
  const auto bare = without_prefetches(
      predictor, {.marks = schedule, .prediction = predict(computation, schedule, machine)});
  if (!bare) return "";
  const Schedule found = with_marks(schedule.loops, bare->marks);
  CHECK(bare->prediction.seconds == predict(computation, found, machine).seconds);
  return to_string(found);
}

}  // namespace

TEST_CASE("append_layouts: gives the schedules of a plan back what was taken from them") {
  const Machine machine = load_machine("xeon-gold-6130");
  for (const char* layer : {"resnet18-9", "yolo9000-5", "m96n64k200"}) {
    CAPTURE(layer);
    const Plan found = plan(parse_problem(layer), machine, {.top = 40});
    int ahead = 0;
    for (const Candidate& each : found.candidates) {
      const Computation computation = computation_of(found.problem, each.schedule);
      Machine used = machine_for(machine, types_of(found.problem));
      used.cores = 1;
      Schedule bare = each.schedule;
      bare.ahead.reset();
      bare.prefetch = 0;
      const Candidate again = with_model_prefetches({computation, used, {}}, bare);
      CHECK(to_string(again.schedule) == to_string(each.schedule));
      CHECK(again.prediction.seconds == close_to(each.prediction.seconds));
      ahead += each.schedule.ahead ? 1 : 0;
    }
    CHECK((ahead > 0) == (std::string(layer) != "m96n64k200"));
  }
}

TEST_CASE("append_layouts: the fastest prefetch of those predicted") {
  const Machine machine = load_machine("xeon-gold-6130");
  const Schedule bare = parse_schedule(
      "[T(8,k), T(14,h), T(3,r), T(3,s), T(256,c), U(14,w), U(2,k), V(k)] in=nhwc out=nhwc");
  const Computation computation = computation_of(parse_problem("resnet18-9"), bare);
  const Candidate best = with_model_prefetches({computation, machine, {}}, bare);
  CHECK(best.schedule.ahead == 0);
  CHECK(best.prediction.seconds < predict(computation, bare, machine).seconds);
}

TEST_CASE("append_layouts: of two operands that could be prefetched, the one that brings more") {
  // The weights take 32 KiB. The input has 9.5 MB and is read four times.
  const Machine machine = load_machine("xeon-gold-6130");
  const Schedule bare =
      parse_schedule("[T(4,k), T(2312,hw), T(128,c), U(8,hw), V(k)] in=nhwc out=nhwc");
  const Computation computation = computation_of(parse_problem("yolo9000-5"), bare);
  CHECK(with_model_prefetches({computation, machine, {}}, bare).schedule.ahead == 1);
}

TEST_CASE("prefetches: a twin without any exists where a link is the bottleneck") {
  // The weights take 16 MiB, and each weight is used once, so that a link is the bottleneck.
  const std::string once = "[T(16,j), T(4096,k), U(4,j), V(j)]";
  for (const char* const marks : {" ahead=0", " prefetch=8", " prefetch=8 ahead=0"})
    CHECK(twin("m1n1024k4096", once + marks) == once);
  CHECK(twin("m1n1024k4096", once).empty());
  CHECK(twin("resnet18-9",
             "[T(8,k), T(14,h), T(3,r), T(3,s), T(256,c), U(14,w), U(2,k), V(k)] "
             "in=nhwc out=nhwc prefetch=8 ahead=0")
            .empty());
}

TEST_CASE("plan: lists schedules with and without prefetches where a link is the bottleneck") {
  const Plan found = plan(parse_problem("m2n1024k4096"), one_core(), {.top = 60});
  const auto prefetches = [](const Candidate& each) {
    return each.schedule.ahead || each.schedule.prefetch > 0;
  };
  const auto count = std::count_if(found.candidates.begin(), found.candidates.end(), prefetches);
  CHECK(count > 0);
  CHECK(count < std::ssize(found.candidates));
}

TEST_CASE("prefetches: weights that the second level holds have a distance of their own") {
  Machine machine = one_core();
  machine.rates.prefetch_steps = 32;
  const auto distance = [&](const char* problem, const char* text) {
    return distance_of(machine, problem, text);
  };
  const char* const reused = "[T(16,i), T(512,k), U(4,i), U(4,j), V(j)]";
  CHECK(distance("m64n64k512", reused) == 16);
  machine.rates.near_prefetch_steps = 8;
  CHECK(distance("m64n64k512", reused) == 4);
  // Weights of 32 MiB, and weights that are read once, come from beyond the second level.
  CHECK(distance("m64n64k131072", "[T(16,i), T(131072,k), U(4,i), U(4,j), V(j)]") == 16);
  CHECK(distance("m4n512k512", "[T(8,j), T(512,k), U(4,i), U(4,j), V(j)]") == 16);
}

TEST_CASE("prefetches: all tiles prefetch as many bytes early, those of one row none") {
  Machine machine = one_core();
  machine.rates.prefetch_steps = 32;
  const auto distance = [&](const char* problem, const char* text) {
    return distance_of(machine, problem, text);
  };
  CHECK(distance("m4n512k512", "[T(32,j), T(512,k), U(4,i), V(j)]") == 64);
  CHECK(distance("m4n512k512", "[T(16,j), T(512,k), U(4,i), U(2,j), V(j)]") == 32);
  CHECK(distance("m2n512k512", "[T(4,j), T(512,k), U(2,i), U(8,j), V(j)]") == 8);
  CHECK(distance("m1n512k512", "[T(16,j), T(512,k), U(2,j), V(j)]") == 0);
}

TEST_CASE("append_layouts: tiles of one row do not prefetch rows of weights in place") {
  const auto distance = [](const char* problem, const char* text) {
    const Schedule bare = parse_schedule(text);
    const Computation computation = computation_of(parse_problem(problem), bare);
    return with_model_prefetches({computation, one_core(), {}}, bare).schedule.prefetch;
  };
  CHECK(distance("m4n2048k2048",
                 "[T(8,k), T(32,j), T(256,k), U(4,i), U(4,j), V(j)] weights=plain") == 8);
  CHECK(distance("m1n2048k2048", "[T(8,k), T(16,j), T(256,k), U(8,j), V(j)] weights=plain") == 0);
}

TEST_CASE(
    "append_layouts: weights that each call prefetches from beyond L2 are not prefetched twice") {
  Machine machine = one_core();
  machine.rates.prefetch_steps = 32;
  const Schedule bare = parse_schedule("[T(96,j), T(2048,k), U(8,i), U(2,j), V(j)]");
  const Computation computation = computation_of(parse_problem("m8n3072k2048"), bare);
  const Candidate best = with_model_prefetches({computation, machine, {}}, bare);
  CHECK(best.schedule.prefetch == 32);
  CHECK_FALSE(best.schedule.ahead.has_value());
}

TEST_CASE("product prefetches: weights that no loop uses again before L1 is full are prefetched") {
  const Machine machine = one_core();
  const auto distance = [&](const char* problem, const char* text) {
    const Schedule schedule = parse_schedule(text);
    const Computation computation = computation_of(parse_problem(problem), schedule);
    return product_prefetch_distance({computation, machine, {}},
                                     resolve(schedule, computation, machine.vector.lanes));
  };
  // The weights of a call have 8 x 16 elements and 512 bytes. In the last of the cases below, the
  // 8 x 16,000 weights that the loop over i uses again do not fit into L1.
  CHECK(distance("m64n16k8", "[T(4,i), T(8,k), U(16,i), V(j)]") == 0);
  CHECK(distance("m16n64k8", "[T(4,j), T(8,k), U(16,i), V(j)]") ==
        2 * machine.rates.prefetch_steps);
  CHECK(distance("m64n32k8", "[T(4,i), T(2,j), T(8,k), U(16,i), V(j)]") == 0);
  CHECK(distance("m64n16000k8", "[T(4,i), T(1000,j), T(8,k), U(16,i), V(j)]") ==
        2 * machine.rates.prefetch_steps);
}
