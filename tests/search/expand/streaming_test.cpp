// SPDX-License-Identifier: Apache-2.0
// This test checks that streaming stores are proposed where outputs leave or crowd the caches, and
// not for partial sums, copies, unaligned vectors or outputs that inner caches keep.
#include "streaming.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "cache_pressure.h"
#include "cost.h"
#include "merge_dims.h"
#include "tileplan/plan.h"

using namespace tileplan;

namespace {

std::optional<Candidate> stream(const char* problem, const char* text, const Machine& machine) {
  const Schedule schedule = parse_schedule(text);
  const Computation computation = computation_of(parse_problem(problem), schedule);
  const Nest nest = resolve(schedule, computation, machine.vector.lanes);
  const CostContext costs(computation, machine, {});
  NestPredictor predictor(computation, nest, schedule, machine, {});
  const auto form =
      with_streaming(costs, nest, predictor,
                     {.marks = schedule, .prediction = predict(computation, schedule, machine)});
  if (!form) return std::nullopt;
  return Candidate{.schedule = with_marks(schedule.loops, form->marks),
                   .prediction = form->prediction};
}

/// The output of this problem takes 16 MiB.
constexpr const char* kLarge = "mb1ic8ih512oc16oh512kh1ph0";
constexpr const char* kLoops = "[T(512,h), T(64,w), T(8,c), U(8,w), V(k)] in=nhwc out=nhwc";

Machine with_last_cache(std::int64_t bytes) {
  Machine machine = load_machine("xeon-gold-6130");
  machine.cores = 1;
  machine.caches.back().capacity_bytes = bytes;
  return machine;
}

}  // namespace

TEST_CASE("streaming: outputs that the last cache does not hold are written once") {
  const Machine small = with_last_cache(8 << 20);
  const std::optional<Candidate> found = stream(kLarge, kLoops, small);
  REQUIRE(found);
  CHECK(to_string(found->schedule) == std::string(kLoops) + " nt");
  const Computation computation = computation_of(parse_problem(kLarge), found->schedule);
  const Prediction cached = predict(computation, parse_schedule(kLoops), small);
  CHECK(found->prediction.seconds < cached.seconds);
  CHECK(cached.levels.back().bytes - found->prediction.levels.back().bytes == 16 << 20);
}

TEST_CASE("streaming: it is to be measured where outputs crowd the cache that keeps them") {
  const Machine large = with_last_cache(64 << 20);
  const std::optional<Candidate> found = stream(kLarge, kLoops, large);
  REQUIRE(found);
  const Computation computation = computation_of(parse_problem(kLarge), found->schedule);
  CHECK_FALSE(leaves_caches(computation, large));
  // With streaming stores, outputs are written and not read.
  CHECK(found->prediction.levels.back().bytes == 16 << 20);
  CHECK_FALSE(stream(kLarge, kLoops, with_last_cache(128 << 20)));
}

TEST_CASE("streaming: partial sums never leave the caches") {
  CHECK_FALSE(stream(kLarge, "[T(2,c), T(512,h), T(64,w), T(4,c), U(8,w), V(k)] in=nhwc out=nhwc",
                     with_last_cache(8 << 20)));
}

TEST_CASE("streaming: copies and unaligned vectors are never streamed") {
  const Machine small = with_last_cache(8 << 20);
  CHECK_FALSE(stream(kLarge, "[T(512,h), T(64,w), T(8,c), U(8,w), V(k)] in=nchw out=nchw", small));
  CHECK_FALSE(stream("mb1ic8ih512oc20oh512kh1ph0",
                     "[T(2,k), T(512,h), T(64,w), T(8,c), U(8,w), V(k)] in=nhwc out=nhwc", small));
}

TEST_CASE(
    "streaming: outputs that inner caches keep are not streamed, however large the weights are") {
  // The weights take 9 MiB, and the outputs 98 KiB.
  const Machine small = with_last_cache(8 << 20);
  CHECK_FALSE(stream("mb1ic512ih7oc512oh7kh3ph1",
                     "[T(32,k), T(7,h), T(3,r), T(3,s), T(512,c), U(7,w), V(k)] in=nhwc "
                     "out=nhwc",
                     small));
}

TEST_CASE("crowds caches: private caches of all cores keep outputs") {
  const Computation computation = computation_of(parse_problem("mb1ic64ih64oc128oh64kh3ph1"),
                                                 Schedule{});  // The outputs take 2 MiB.
  const Machine machine = with_last_cache(4 << 20);            // The L2 of each core has 1 MiB.
  CHECK(crowds_caches(computation, machine, 1));
  CHECK_FALSE(crowds_caches(computation, machine, 4));
}

TEST_CASE("plan: lists both kinds of stores of outputs that leave the caches") {
  const Plan found = plan(parse_problem("yolo9000-0"), load_machine("xeon-gold-6130"), {.top = 10});
  const auto streams = [](const Candidate& each) { return each.schedule.nontemporal; };
  const auto count = std::count_if(found.candidates.begin(), found.candidates.end(), streams);
  CHECK(count > 0);
  CHECK(count < 10);
}

TEST_CASE("plan: sums onto an output that is there are never streamed") {
  Options options{.top = 10};
  options.epilogue.beta = 1;
  const Plan found = plan(parse_problem("yolo9000-0"), load_machine("xeon-gold-6130"), options);
  for (const Candidate& each : found.candidates) CHECK_FALSE(each.schedule.nontemporal);
}
