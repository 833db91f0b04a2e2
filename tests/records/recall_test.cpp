// SPDX-License-Identifier: Apache-2.0
// This test checks which measurements a plan takes from the records, and which candidates stay
// unmeasured.
#include "recall.h"

#include <doctest/doctest.h>

#include "close_to.h"
#include "temporary_folder.h"

using namespace tileplan;

namespace {

constexpr const char* kVersion = "0.1.0 (abc)";

/// Returns a plan of three schedules of one product, all of which are to be measured.
Plan three() {
  Plan plan;
  plan.problem = parse_problem("m64n64k64");
  plan.machine = load_machine("xeon-gold-6130");
  plan.options.verify = 3;
  for (const char* text : {"[T(8,i), T(2,j), T(64,k), U(8,i), U(2,j), V(j)]",
                           "[T(2,j), T(8,i), T(64,k), U(8,i), U(2,j), V(j)]",
                           "[T(16,i), T(2,j), T(64,k), U(4,i), U(2,j), V(j)]"})
    plan.candidates.push_back({.schedule = parse_schedule(text)});
  return plan;
}

Measurement around(double seconds) {
  Measurement measured{.median_seconds = seconds, .kept = 9, .samples = 9};
  for (int i = -4; i <= 4; ++i) measured.times.push_back(seconds * (1 + 0.001 * i));
  return measured;
}

struct Store {
  TemporaryFolder folder;
  Records records{folder / "records.db"};

  void add(const Plan& plan) { remember(plan, records, {.version = kVersion}); }
  /// Calls recall() for `plan` with the records, and returns how many candidates got a measurement.
  std::size_t known(Plan& plan, const char* version = kVersion) {
    return recall(plan, records, {.version = version});
  }
};

}  // namespace

TEST_CASE("recall: when all candidates are known, none is measured again") {
  Store store;
  Plan old = three();
  for (std::size_t i = 0; i < 3; ++i)
    old.candidates[i].measurement = around(1e-3 + 1e-5 * static_cast<double>(i));
  store.add(old);
  Plan plan = three();
  CHECK(store.known(plan) == 3);
  CHECK(plan.candidates[1].measurement->median_seconds == close_to(1.01e-3));
  CHECK(plan.candidates[1].measurement->kept == 9);
  CHECK_FALSE(plan.candidates[1].measurement->taken.empty());
  store.add(plan);  // Measurements that come from the records are not added again.
  CHECK(store.records.find().size() == 3);
}

TEST_CASE("recall: beside unknown candidates only clearly slower ones are taken as known") {
  Store store;
  Plan old = three();
  old.candidates[0].measurement = around(1e-3);
  old.candidates[1].measurement = around(2e-3);
  store.add(old);
  Plan plan = three();
  CHECK(store.known(plan) == 1);
  CHECK_FALSE(plan.candidates[0].measurement.has_value());
  CHECK(plan.candidates[1].measurement.has_value());
  CHECK_FALSE(plan.candidates[2].measurement.has_value());
}

TEST_CASE("recall: another version, machine, regime or a stale measurement is not the same") {
  Store store;
  Plan old = three();
  for (Candidate& one : old.candidates) one.measurement = around(1e-3);
  store.add(old);
  Plan plan = three();
  CHECK(store.known(plan, "0.1.0 (def)") == 0);
  plan.options.regime = Regime::all_cold;
  CHECK(store.known(plan) == 0);
  plan = three();
  plan.options.threads = 2;
  CHECK(store.known(plan) == 0);
  plan = three();
  plan.options.epilogue.bias = true;
  CHECK(store.known(plan) == 0);
  plan = three();
  plan.machine.cpu.stepping += 1;
  CHECK(store.known(plan) == 0);
  plan = three();
  CHECK(recall(plan, store.records, {.version = kVersion, .fresh_seconds = -1}) == 0);
  CHECK(store.known(plan) == 3);
}

TEST_CASE("recall: disturbed measurements are not remembered, failures are, and leave the plan") {
  Store store;
  Plan old = three();
  old.candidates[0].measurement = Measurement{.median_seconds = 1e-3, .kept = 0, .samples = 4};
  old.failures.push_back({.schedule = old.candidates[2].schedule, .reason = "killed by signal 11"});
  store.add(old);
  Plan plan = three();
  CHECK(store.known(plan) == 0);
  CHECK(plan.candidates.size() == 2);
  REQUIRE(plan.rejected.size() == 1);
  CHECK(plan.rejected.front().reason.find("killed by signal 11") != std::string::npos);
}

TEST_CASE("recall: failures for want of memory are not remembered") {
  Store store;
  Plan old = three();
  old.failures = {
      {.schedule = old.candidates[1].schedule, .reason = "out of memory"},
      {.schedule = old.candidates[2].schedule, .reason = "killed by signal 9 (Killed)"}};
  store.add(old);
  Plan plan = three();
  store.known(plan);
  CHECK(plan.candidates.size() == 3);
}

TEST_CASE("recall: candidates that failed for one reason are counted together, in order") {
  Store store;
  Plan old = three();
  for (const std::size_t failed : {1, 2})
    old.failures.push_back({.schedule = old.candidates[failed].schedule, .reason = "hung"});
  store.add(old);
  Plan plan = three();
  plan.rejected = {{.reason = "L1: too large", .count = 4}, {.reason = "registers", .count = 2}};
  store.known(plan);
  REQUIRE(plan.rejected.size() == 3);
  CHECK(plan.rejected[1].count == 2);
  CHECK(plan.rejected[1].reason.ends_with(": hung"));
}

TEST_CASE("recall: where all candidates failed before, the last is tried again") {
  Store store;
  Plan old = three();
  for (const Candidate& one : old.candidates)
    old.failures.push_back({.schedule = one.schedule, .reason = "hung"});
  store.add(old);
  Plan plan = three();
  CHECK(store.known(plan) == 0);
  REQUIRE(plan.candidates.size() == 1);
  CHECK(plan.candidates.front().schedule == old.candidates.back().schedule);
}

TEST_CASE("recall: a few samples of a disturbed machine are not enough") {
  Store store;
  Plan old = three();
  for (Candidate& one : old.candidates) {
    one.measurement = around(1e-3);
    one.measurement->times.resize(4);
  }
  store.add(old);
  Plan plan = three();
  CHECK(store.known(plan) == 0);
}
