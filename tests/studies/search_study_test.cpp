// SPDX-License-Identifier: Apache-2.0
// This test runs searches and their studies on a small product that takes microseconds, and checks
// results for made-up rows.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "candidate_quality.h"
#include "close_to.h"
#include "contains.h"
#include "csv.h"
#include "error_of.h"
#include "even_vs_uneven.h"
#include "search_experiments.h"
#include "strategy.h"
#include "studies.h"
#include "temporary_folder.h"
#include "tileplan/records.h"

using namespace tileplan;

namespace {

StudyOptions options(const TemporaryFolder& folder) {
  return {.layers = {parse_problem("m64n64k64")},
          .folder = folder / "out",
          .schedules = 12,
          .measurements = 12,
          .budget_seconds = 2,
          .seeds = 1,
          .records = folder / "records.db",
          .version = "test"};
}

/// Returns whether a search that starts again would measure none of the recorded schedules: each of
/// them failed, has three samples, which searches ask for, or was measured twice. Samples that
/// other programs disturbed are not recorded.
bool are_settled(const std::string& records) {
  std::map<std::string, std::vector<Record>> measured;
  for (Record& record : Records(records).find())
    measured[record.schedule].push_back(std::move(record));
  return std::ranges::all_of(measured, [](const auto& one) {
    const std::vector<Record>& times = one.second;
    return times.size() > 1 || !times[0].failure.empty() || times[0].samples.size() >= 3;
  });
}

}  // namespace

TEST_CASE("strategies by name: those of the papers; another name is refused with the list") {
  const std::vector<std::string> names = strategy_names();
  for (const char* name : {"model", "random", "grid", "droplet", "opevo", "gbfs", "na2c", "genetic",
                           "annealing", "gbt", "evolve", "mopt", "ttile"})
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  CHECK(is_random("opevo"));
  CHECK_FALSE(is_random("grid"));
  CHECK(
      error_of([] { is_random("luck"); }).starts_with("strategy: 'luck'; must be one of model, "));
}

TEST_CASE("distribution: the share of the draws that are slower") {
  CHECK(share_slower({1, 2, 3, 4}, 2) == 0.5);
  CHECK(share_slower({1, 2}, 0.5) == 1);
}

TEST_CASE("search: what was measured once is known when the same searches run again") {
  const TemporaryFolder folder;
  const Machine machine = detect_machine();
  const Problem problem = parse_problem("m64n64k64");
  const SearchBudget budget{.measurements = 6, .seconds = 5};
  const std::vector<SearchTask> tasks{{.strategy = "model", .budget = budget},
                                      {.strategy = "opevo", .budget = budget}};
  const LayerSearchOptions chosen{.records = folder / "records.db", .version = "test"};
  const LayerSearch first = search_layer(problem, machine, tasks, chosen);
  CHECK(first.courses.size() == 2);
  CHECK(first.courses[0].steps.front().schedule == first.ranked.front());
  CHECK(first.courses[1].complete);
  CHECK(first.seconds_per_measurement > 0);
  const std::size_t stored = Records(folder / "records.db").find().size();
  std::set<std::string> schedules;
  std::size_t steps = 0;
  for (const auto& course : first.courses)
    for (const auto& step : course.steps) {
      schedules.insert(step.schedule);
      ++steps;
    }
  if (steps < 12 || stored < schedules.size() || !are_settled(folder / "records.db")) {
    MESSAGE("skipped: no core was quiet for long enough");
    return;
  }
  const LayerSearch again = search_layer(problem, machine, tasks, chosen);
  CHECK(Records(folder / "records.db").find().size() == stored);
  CHECK(again.seconds_per_measurement == 0);
  for (std::size_t i = 0; i < again.courses.size(); ++i) {
    REQUIRE(again.courses[i].steps.size() == first.courses[i].steps.size());
    for (std::size_t step = 0; step < again.courses[i].steps.size(); ++step)
      CHECK(again.courses[i].steps[step].schedule == first.courses[i].steps[step].schedule);
  }
}

TEST_CASE("study distribution: files, and no overwriting without --resume") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  chosen.budget_seconds = 30;  // With a longer budget, a busy machine measures more draws.
  std::string said;
  const auto run = [&] {
    study_distribution(detect_machine(), chosen, [&](const std::string& text) { said += text; });
  };
  run();
  CHECK(content_of(folder / "out/summary.txt") == said);
  CHECK(said.find("m64n64k64: ") != std::string::npos);
  if (said.find("nothing was measured") != std::string::npos) {
    MESSAGE("skipped: no core was quiet");
    return;
  }
  const std::string table = folder / "out/distribution.csv";
  CHECK(content_of(table).find("\nm64n64k64,random,") != std::string::npos);
  CHECK(content_of(folder / "out/distribution-m64n64k64.svg").starts_with("<svg "));
  CHECK(error_of(run) == table + " is there already; --resume goes on with it");
  chosen.resume = true;
  if (!are_settled(folder / "records.db")) {
    MESSAGE("skipped: no core was quiet for long enough");
    return;
  }
  const std::string before = content_of(table);
  run();
  // Schedules that were never measured on a quiet core are measured again; the others keep their
  // rows.
  const std::string after = content_of(table);
  std::istringstream rows(before.substr(before.find("layer,")));
  for (std::string row; std::getline(rows, row);)
    if (!contains(row, ",,")) CHECK(contains(after, row + "\n"));
}

TEST_CASE("candidates: the best of the list against the best of all, measured again") {
  const std::vector<QualityRow> rows{
      {.schedule = "a", .rank = 1, .origin = "list", .seconds = 1.0, .again = 2.2},
      {.schedule = "b", .rank = 2, .origin = "list", .seconds = 1.1, .again = 2.1},
      {.schedule = "c", .rank = 3, .origin = "list", .seconds = 0.1},
      {.schedule = "d", .origin = "random", .seconds = 1.2, .again = 2.0}};
  const ListQuality quality = quality_of(rows, {.layer = "toy", .listed = 4});
  CHECK(quality.looked_at == 3);
  CHECK(quality.others == 1);
  CHECK(quality.best_rank == 2);
  CHECK(quality.best_origin == "random");
  CHECK(*quality.behind() == close_to(0.05));
  CHECK(quality_of({rows[0]}, {}).behind() == std::nullopt);
  QualityRow slow = rows[3];
  slow.again = 3;
  CHECK(quality_of({rows[1], slow}, {}).behind() == 0);
}

TEST_CASE("candidates: the first of each side are measured again, then the fastest") {
  const double failed = std::numeric_limits<double>::infinity();
  const std::vector<QualityRow> rows{
      {.schedule = "list 2", .rank = 2, .origin = "list", .seconds = 2},
      {.schedule = "plan 1", .origin = "plan", .seconds = 9},
      {.schedule = "random 1", .origin = "random", .seconds = 3},
      {.schedule = "random 2", .origin = "random", .seconds = 1},
      {.schedule = "list 1", .rank = 1, .origin = "list", .seconds = 8},
      {.schedule = "list 3", .rank = 3, .origin = "list", .seconds = failed},
      {.schedule = "list 4", .rank = 4, .origin = "list", .seconds = 1}};
  CHECK(promising_schedules(rows, 1, 1) ==
        std::vector<std::string>{"list 1", "list 4", "plan 1", "random 2"});
  CHECK(promising_schedules(rows, 2, 0) ==
        std::vector<std::string>{"list 4", "list 2", "random 2", "random 1"});
  CHECK(promising_schedules(rows, 9, 9).size() == 6);
}

TEST_CASE("study candidates: files, what was measured is in the records, and no overwriting") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  std::string said;
  const auto run = [&] {
    said.clear();
    study_candidates(detect_machine(), chosen, [&](const std::string& text) { said += text; });
  };
  run();
  CHECK(content_of(folder / "out/summary.txt") == said);
  const std::string table = folder / "out/candidates.csv";
  CHECK(content_of(table).find("\nm64n64k64,list,1,") != std::string::npos);
  CHECK(content_of(folder / "out/candidates-m64n64k64.svg").starts_with("<svg "));
  CHECK(error_of(run) == table + " is there already; --resume goes on with it");
  const CsvTable rows = parse_csv(content_of(table), table);
  const auto seconds = std::ranges::find(rows.columns, "seconds") - rows.columns.begin();
  const bool is_measured = std::ranges::any_of(rows.rows, [&](const CsvFields& row) {
    return !row.at(static_cast<std::size_t>(seconds)).empty();
  });
  const std::size_t stored = Records(folder / "records.db").find().size();
  if (is_measured)
    CHECK(stored > 0);
  else
    MESSAGE("skipped: no core was quiet for long enough");
}

TEST_CASE("studies of searches: options that make no sense are named") {
  const TemporaryFolder folder;
  const auto error = [&](const StudyOptions& chosen) {
    return error_of([&] {
      study_searches(convergence_experiment(), detect_machine(), chosen, [](const std::string&) {});
    });
  };
  StudyOptions chosen = options(folder);
  chosen.layers.clear();
  CHECK(error(chosen) == "layers: none; must be at least one");
  chosen = options(folder);
  chosen.measurements = 0;
  CHECK(error(chosen) == "measurements: 0; must be at least 1");
}

TEST_CASE("study convergence: every strategy, and complete layers are kept when it goes on") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  chosen.budget_seconds = 8;
  std::string said;
  const auto run = [&] {
    said.clear();
    study_searches(convergence_experiment(), detect_machine(), chosen,
                   [&](const std::string& text) { said += text; });
  };
  run();
  CHECK(content_of(folder / "out/summary.txt") == said);
  if (said.find("nothing was measured") != std::string::npos) {
    MESSAGE("skipped: no core was quiet");
    return;
  }
  const std::string table = content_of(folder / "out/convergence.csv");
  CHECK(said.find("all 1 layers") != std::string::npos);
  CHECK(table.find("\nm64n64k64,") != std::string::npos);
  const bool is_cut = said.find("(cut)") != std::string::npos;
  // A search that waits for quiet cores may be cut before its first measurement.
  if (!is_cut) CHECK(table.find("m64n64k64,droplet,1,1,") != std::string::npos);
  CHECK(content_of(folder / "out/convergence-m64n64k64.svg").starts_with("<svg "));
  CHECK(content_of(folder / "out/convergence.svg").starts_with("<svg "));
  chosen.resume = true;
  const std::size_t stored = Records(folder / "records.db").find().size();
  // Complete searches of the first run are used, although the limit is now smaller.
  chosen.measurements = 2;
  if (!is_cut) {
    run();
    CHECK(Records(folder / "records.db").find().size() == stored);
    const std::string again = content_of(folder / "out/convergence.csv");
    CHECK(again.substr(again.find("layer,")) == table.substr(table.find("layer,")));
  }
}

TEST_CASE("search: time is divided evenly, and a search without any is cut") {
  const TemporaryFolder folder;
  const SearchBudget budget{.measurements = 3, .seconds = 60};
  const LayerSearch cut = search_layer(
      parse_problem("m64n64k64"), detect_machine(),
      {{.strategy = "model", .budget = budget}, {.strategy = "opevo", .budget = budget}},
      {.records = folder / "records.db", .version = "test", .budget_seconds = 0});
  REQUIRE(cut.courses.size() == 2);
  CHECK(cut.courses[0].steps.empty());
  CHECK_FALSE(cut.courses[0].complete);
}
