// SPDX-License-Identifier: Apache-2.0
// This test runs the study `ranking`, with its files, and the studies `growth` and `overheads` on a
// fast layer.

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "error_of.h"
#include "ranking_table.h"
#include "studies.h"
#include "temporary_folder.h"

using namespace tileplan;

namespace {

constexpr const char* kToy = "mb1ic32ih8oc64oh8kh3ph1";
constexpr const char* kOther = "mb1ic32ih8oc32oh8kh1ph0";

StudyOptions options(const TemporaryFolder& folder, const std::vector<std::string>& layers) {
  StudyOptions options{
      .folder = folder / "out", .schedules = 6, .budget_seconds = 0.3, .version = "test"};
  for (const std::string& layer : layers) options.layers.push_back(parse_problem(layer));
  return options;
}

std::string run(const StudyOptions& options) {
  std::string said;
  study_ranking(detect_machine(), options, [&](const std::string& text) { said += text; });
  return said;
}

std::vector<std::string> names_of_caches() {
  std::vector<std::string> names;
  for (const CacheLevel& cache : detect_machine().caches) names.push_back(cache.name);
  return names;
}

std::string error_of(const StudyOptions& options) {
  return tileplan::error_of([&] { run(options); });
}

}  // namespace

TEST_CASE("study ranking: draws, checks, times and writes what it says") {
  const TemporaryFolder folder;
  const std::string said = run(options(folder, {kToy}));
  CHECK(content_of(folder / "out/summary.txt") == said);
  CHECK(content_of(folder / "out/ranking-mb1ic32ih8oc64oh8kh3ph1.svg").starts_with("<svg "));
  const CsvTable table = parse_csv(content_of(folder / "out/ranking.csv"), "");
  int model = 0, random = 0;
  for (const CsvFields& fields : table.rows) {
    const RankingRow row = read_ranking_row(fields, names_of_caches());
    CAPTURE(to_string(row.candidate.schedule));
    (row.rank > 0 ? model : random) += row.note.empty() ? 1 : 0;
    CHECK(row.note.find("wrong result") == std::string::npos);
    // On a noisy machine, the budget may be used up before a schedule is timed.
    if (row.candidate.measurement) CHECK(row.note.empty());
    CHECK(row.candidate.prediction.seconds > 0);
  }
  CHECK(model >= 1);
  CHECK(random == 6);
}

TEST_CASE("study ranking: layers that the algorithm cannot compute are left out") {
  const TemporaryFolder folder;
  StudyOptions mixed = options(folder, {kOther, kToy});
  mixed.planning.algorithm = Algorithm::winograd;
  const std::string said = run(mixed);
  CHECK(said.find(std::string(kOther) + " left out: algorithm: winograd, but the filter has one") !=
        std::string::npos);
  CHECK(said.find("median") != std::string::npos);
  const TemporaryFolder empty;
  StudyOptions none = options(empty, {kOther});
  none.planning.algorithm = Algorithm::winograd;
  CHECK(error_of(none) == "study: ranking of no layer; at least one must be possible");
}

TEST_CASE("study ranking: resuming keeps the rows that are there and adds the others") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder, {kToy});
  run(chosen);
  const std::string before = content_of(folder / "out/ranking.csv");
  chosen.layers.push_back(parse_problem(kOther));
  chosen.resume = true;
  const std::string said = run(chosen);
  const std::string after = content_of(folder / "out/ranking.csv");
  CHECK(after.starts_with(before));
  CHECK(after.size() > before.size());
  CHECK(said.find(kToy) != std::string::npos);
  CHECK(run(chosen).find("prepared in") == std::string::npos);
  CHECK(content_of(folder / "out/ranking.csv") == after);
}

TEST_CASE("study ranking: results are neither overwritten nor mixed with others") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder, {kToy});
  run(chosen);
  const std::string path = folder / "out/ranking.csv";
  CHECK(error_of(chosen) == path + " is there already; --resume goes on with it");
  chosen.resume = true;
  chosen.seed = 2;
  CHECK(error_of(chosen).starts_with(path + ": was made otherwise; "));
}

TEST_CASE("study ranking: options that make no sense are named") {
  const TemporaryFolder folder;
  CHECK(error_of(options(folder, {})) == "layers: none; must be at least one");
  StudyOptions chosen = options(folder, {kToy});
  chosen.schedules = 0;
  CHECK(error_of(chosen) == "schedules: 0; must be at least 1");
  chosen = options(folder, {kToy});
  chosen.budget_seconds = 0;
  CHECK(error_of(chosen) == "budget: 0.000000 seconds; must be positive and finite");
}

TEST_CASE("study overheads: each overhead is halved and doubled, and most change no toy plan") {
  const TemporaryFolder folder;
  const StudyOptions chosen = options(folder, {kToy});
  std::vector<std::string> lines;
  study_overheads(load_machine("xeon-gold-6130"), chosen,
                  [&](const std::string& line) { lines.push_back(line); });
  CHECK(lines.size() == 1 + 2 * 21);
  CHECK(lines[1].starts_with("dispatch_cycles,180,0.5,"));
  CHECK(std::ranges::count_if(lines, [](const std::string& line) {
          return line.find(",0,0.00,0.0,") != std::string::npos;
        }) > 13);
  CHECK(std::filesystem::exists(folder / "out/overheads.csv"));
}

TEST_CASE("study growth: a row for each operator and number of levels, and for each layer") {
  const TemporaryFolder folder;
  StudyOptions growth = options(folder, {kToy});
  growth.measurements = 1;
  int rows = 0;
  study_growth(load_machine("xeon-gold-6130"), growth, [&](const std::string&) { ++rows; });
  CHECK(rows == 6 * 3 + 1);
  CHECK(std::filesystem::exists(folder / "out/growth.csv"));
  CHECK(std::filesystem::exists(folder / "out/plan_time.csv"));
  growth.measurements = 0;
  CHECK_THROWS_WITH(study_growth(load_machine("xeon-gold-6130"), growth, [](const std::string&) {}),
                    "measurements: 0; must be at least 1");
}
