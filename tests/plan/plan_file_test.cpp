// SPDX-License-Identifier: Apache-2.0
// This test checks that plans are written to a file and read back, and that other files are
// refused.
#include <doctest/doctest.h>

#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/plan.h"

namespace tileplan {
namespace {

Plan full_plan() {
  Options options{.top = 3,
                  .layout = LayoutChoice::blocked,
                  .regime = Regime::cold_weights,
                  .threads = 2,
                  .epilogue = parse_epilogue("bias,add,clamp=0:6"),
                  .capacity = Capacity::ways,
                  .certify_full = true,
                  .seed = std::numeric_limits<std::uint64_t>::max()};
  Plan plan = tileplan::plan(parse_problem("resnet18-9"), load_machine("xeon-gold-6130"), options);
  plan.options.verify = 2;
  plan.candidates[0].measurement = {.median_seconds = 0.1,
                                    .low_seconds = 1.0 / 3,
                                    .high_seconds = 0.3,
                                    .kept = 2,
                                    .samples = 5,
                                    .times = {0.1, 1.0 / 7},
                                    .taken = "2026-11-21T12:00:00Z",
                                    .peak_flops = 1e11 / 3};
  plan.failures.push_back({plan.candidates[1].schedule, "timed out after \"2\" s"});
  plan.verdict = Verdict::tied;
  plan.measure_seconds = 1e-300;
  plan.waiting_seconds = 2.5;
  return plan;
}

void write(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

std::string complaint(const std::string& path) {
  try {
    load_plan(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a plan that was saved is read back equal in every field") {
  const TemporaryFolder folder;
  const std::string path = folder / "layer.plan";
  const Plan plan = full_plan();
  save_plan(plan, path);
  const Plan read = load_plan(path);
  CHECK(read.problem == plan.problem);
  CHECK(read.machine == plan.machine);
  CHECK(read.options == plan.options);
  CHECK(read.candidates == plan.candidates);
  CHECK(read.rejected == plan.rejected);
  CHECK(read.certificate == plan.certificate);
  CHECK(read == plan);
}

TEST_CASE("plans for machines put together by hand are read back: no rate of writing, no vectors") {
  const TemporaryFolder folder;
  const std::string path = folder / "hand.plan";
  Machine machine = load_machine("xeon-gold-6130");
  machine.narrow.reset();
  machine.rates.kernels.clear();
  machine.vector.lanes = 1;
  for (CacheLevel& cache : machine.caches) cache.write_bytes_per_second = 0;
  for (const char* problem : {"m8n9k10", "--dt=f64 m8n9k10"}) {
    const Plan plan = tileplan::plan(parse_problem(problem), machine);
    save_plan(plan, path);
    CHECK(load_plan(path) == plan);
  }
}

TEST_CASE("matrix products and relations are read back too, on machines that were never measured") {
  const TemporaryFolder folder;
  const std::string path = folder / "any.plan";
  const std::string relation =
      "{ S[i,j,k] : 0 <= i < 64 and 0 <= j < 96 and 0 <= k < 32 } reads { S[i,j,k] -> A[i,k]; "
      "S[i,j,k] -> B[k,j] } writes { S[i,j,k] -> C[i,j] }";
  Machine machine = load_machine("xeon-gold-6130");
  machine.rates.kernels.clear();
  machine.provenance.calibrated.clear();
  for (const std::string& text : {std::string("b2m24n32k40lda48"), "--dt=f64 " + relation}) {
    const Plan plan = tileplan::plan(parse_problem(text), machine);
    save_plan(plan, path);
    CHECK(load_plan(path) == plan);
  }
}

TEST_CASE("files that are no plans are refused with the file, the field and the rule") {
  const TemporaryFolder folder;
  const std::string path = folder / "wrong.plan", none = folder / "none";
  CHECK(complaint(none) == none +
                               ": cannot be read (No such file or directory); must be a file that "
                               "save_plan or plan --save wrote");
  write(path, "{}");
  CHECK(complaint(path) == path + ": format is missing; must be \"tileplan-plan-3\"");
  write(path, "{\"format\": \"tileplan-plan-3\", \"speed\": 1}");
  CHECK((complaint(path).find("\"speed\" is not a field") != std::string::npos));
  write(path, "{\"format\": \"tileplan-plan-2\", \"speed\": 1}");
  CHECK(complaint(path) == path +
                               ": another version saved this plan in the format tileplan-plan-2; "
                               "must be tileplan-plan-3, so plan the problem again");
  Plan plan = full_plan();
  save_plan(plan, path);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  const auto with = [&](const std::string& before, const std::string& after) {
    std::string changed = text.str();
    changed.replace(changed.find(before), before.size(), after);
    write(path, changed);
    return complaint(path).substr(path.size());
  };
  CHECK(with("\"tied\"", "\"even\"") ==
        ": verdict is \"even\"; must be unmeasured, decided, tied or undecided");
  CHECK(with("18446744073709551615", "18446744073709551616") ==
        ": options.seed is \"18446744073709551616\"; must be a number from 0 to 2^64 - 1");
  CHECK(with("\"cold-weights\"", "\"tepid\"").starts_with(": regime"));
  CHECK(with("\"kept\": 2", "\"kept\": -2").starts_with(": candidates[0].measurement.kept is -2"));
}

}  // namespace tileplan
