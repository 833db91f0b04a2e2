// SPDX-License-Identifier: Apache-2.0
// This test checks which calls return a stored plan, and which of the stored plans are dropped.
#include "plan_cache.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace tileplan {
namespace {

Plan plan_for(const std::string& name, int top = 10) {
  Plan plan;
  plan.problem = GemmShape{.name = name};
  plan.options.top = top;
  return plan;
}

}  // namespace

TEST_CASE("a second plan_conv of the same problem is the first, found rather than made") {
  const Machine machine = load_machine("xeon-gold-6130");
  const ConvShape shape = parse_conv("--dt=f64 mb1ic32ih14oc64oh14kh3ph1");
  const Plan first = plan_conv(shape, machine);
  double shortest = 1;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const Plan again = plan_conv(shape, machine);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    shortest = std::min(shortest, taken.count());
    // The plans are equal including the planning time, so the second one comes from the cache.
    CHECK(again == first);
  }
  MESSAGE("found in " << shortest * 1e6 << " us, planned in " << first.plan_seconds * 1e6 << " us");
  CHECK(shortest < first.plan_seconds / 10);
}

TEST_CASE("another problem, name, machine or option is another plan") {
  Machine machine = load_machine("xeon-gold-6130");
  const GemmShape shape = parse_gemm("m32n32k32");
  const Plan first = plan_gemm(shape, machine);
  GemmShape named = shape;
  named.name = "small";
  CHECK(name_of(plan_gemm(named, machine).problem) == "small");
  CHECK(plan_gemm(shape, machine, {.top = 1}).candidates.size() == 1);
  machine.clock.hertz *= 2;
  CHECK(plan_gemm(shape, machine).candidates[0].prediction.compute_seconds <
        first.candidates[0].prediction.compute_seconds);
}

TEST_CASE("the oldest plan goes when there are too many; the first of two equal ones stays") {
  PlanCache cache(2);
  Plan second = plan_for("a");
  second.flops = 2;
  cache.insert({}, plan_for("a"));
  CHECK(cache.insert({}, second)->flops == 0);
  cache.insert({}, plan_for("b"));
  cache.insert({}, plan_for("c"));
  const Plan a = plan_for("a"), b = plan_for("b"), c = plan_for("c", 5);
  CHECK(cache.find(a.problem, a.machine, a.options) == nullptr);
  CHECK(cache.find(b.problem, b.machine, b.options) != nullptr);
  CHECK(cache.find(c.problem, c.machine, c.options) == nullptr);
}

TEST_CASE("threads that ask at once get one and the same plan") {
  const Machine machine = load_machine("xeon-gold-6130");
  const GemmShape shape = parse_gemm("m48n32k32");
  std::vector<Plan> plans(4);
  std::vector<std::thread> threads;
  for (Plan& plan : plans)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) plan = plan_gemm(shape, machine);
    });
  for (std::thread& thread : threads) thread.join();
  for (const Plan& plan : plans) CHECK(plan == plans.front());
}

}  // namespace tileplan
