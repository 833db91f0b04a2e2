// SPDX-License-Identifier: Apache-2.0
// This test checks the winners and rows of the droplet studies for made-up courses of searches, and
// the schedule at which a search begins. It runs the study `speculation` on a small product.
#include "droplet_study.h"

#include <doctest/doctest.h>

#include <cmath>

#include "schedule_space.h"
#include "studies.h"
#include "temporary_folder.h"

using namespace tileplan;

namespace {

SearchCourse course(const std::vector<SearchStep>& steps, int batches) {
  return {.task = {.strategy = "droplet"}, .steps = steps, .batches = batches, .complete = true};
}

}  // namespace

TEST_CASE("droplet studies: winners are compared by the samples measured again") {
  LayerSearch search;
  search.courses = {course({{"a", 2.0, 0.1}, {"b", 1.0, 0.2}}, 1),
                    course({{"a", 2.0, 0.1}, {"c", 0.9, 0.3}, {"d", 0.95, 0.4}}, 2),
                    course({{"a", 2.0, 0.1}, {"c", 0.9, 0.2}}, 2)};
  const std::vector<DropletRow> rows =
      droplet_rows("layer", speculation_variants(), search,
                   {{"b", {1.00, 1.01, 0.99}}, {"c", {0.90, 0.91, 0.89}}});
  REQUIRE(rows.size() == 3);
  CHECK(rows[2].seconds == 0.2);
  CHECK(rows[0].schedule == "b");
  CHECK(*rows[0].p_value == 1);
  CHECK(rows[1].schedule == "c");
  CHECK(*rows[1].final == 0.90);
  CHECK(std::abs(*rows[1].p_value - 0.000255) < 5e-7);
  CHECK(rows[1].batches == 2);
  CHECK(rows[1].measurements == 3);
  CHECK(rows[1].seconds == 0.4);
}

TEST_CASE("droplet studies: a search without a winner has no time and no test") {
  LayerSearch search;
  search.courses = {course({{"a", HUGE_VAL, 0.1}}, 1), course({}, 0), course({}, 0)};
  const std::vector<DropletRow> rows =
      droplet_rows("layer", speculation_variants(), search, {{"b", {1, 1, 1}}});
  CHECK(rows[0].schedule.empty());
  CHECK_FALSE(rows[0].final.has_value());
  CHECK_FALSE(rows[1].p_value.has_value());
}

TEST_CASE("droplet studies: the variants are the paper's") {
  const std::vector<DropletVariant> variants = p_value_variants();
  REQUIRE(variants.size() == 5);
  CHECK(variants[0].settings.p_value == 0.01);
  CHECK(variants[4].name == "none");
  CHECK(variants[4].settings.p_value == 1);
  CHECK(speculation_variants()[0].settings.width == 1);
  CHECK(speculation_variants()[1].settings.width == 16);
  CHECK_FALSE(speculation_variants()[1].settings.ahead);
  CHECK(speculation_variants()[2].settings.ahead);
}

TEST_CASE("droplet studies: a search begins at the model's microkernel, without tiles") {
  const TemporaryFolder folder;
  const Problem problem = parse_problem("m64n64k64");
  const Machine machine = detect_machine();
  const LayerSearch search = search_layer(
      problem, machine,
      {{.strategy = "droplet", .budget = {.measurements = 1}, .droplet = DropletSettings{}}},
      {.records = folder / "records.db", .version = "test", .ranked = 1});
  const Computation computation = computation_of(problem);
  const ScheduleSpace space(computation, machine, [](const Schedule&) { return true; });
  REQUIRE(search.courses.front().steps.size() == 1);
  CHECK(search.courses.front().steps.front().schedule ==
        to_string(space.schedule(space.untiled(space.model_choice()))));
}

TEST_CASE("study speculation: searches, tables and plots of a small product") {
  const TemporaryFolder folder;
  std::string said;
  study_speculation(detect_machine(),
                    {.layers = {parse_problem("m64n64k64")},
                     .folder = folder / "out",
                     .measurements = 12,
                     .budget_seconds = 3,
                     .records = folder / "records.db",
                     .version = "test"},
                    [&](const std::string& text) { said += text; });
  CHECK(content_of(folder / "out/summary.txt") == said);
  CHECK(said.find("width 16") != std::string::npos);
  const std::string table = content_of(folder / "out/speculation.csv");
  CHECK(table.find("\nm64n64k64,width 1,") != std::string::npos);
  CHECK(table.find("\nm64n64k64,\"16, ahead\",") != std::string::npos);
  CHECK(content_of(folder / "out/speculation-m64n64k64.svg").starts_with("<svg "));
}
