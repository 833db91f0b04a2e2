// SPDX-License-Identifier: Apache-2.0
// This test checks the two kinds of schedules that the studies `combinations` and `divisibility`
// compare, and runs these studies on a small product that takes microseconds.
#include "even_vs_uneven.h"

#include <doctest/doctest.h>

#include "studies.h"
#include "temporary_folder.h"
#include "tileplan/error.h"
#include "tileplan/records.h"

using namespace tileplan;

namespace {

using Run = void (*)(const Machine&, const StudyOptions&, const Print&);

StudyOptions options(const TemporaryFolder& folder) {
  // 17 is prime, so that only uneven tiles, such as 8 and 9 rows, split it into large tiles.
  return {.layers = {parse_problem("m17n64k32")},
          .folder = folder / "out",
          .measurements = 12,
          .budget_seconds = 2,
          .records = folder / "records.db",
          .version = "test"};
}

std::string said_by(Run study, const StudyOptions& options) {
  std::string said;
  study(detect_machine(), options, [&](const std::string& text) { said += text; });
  return said;
}

}  // namespace

TEST_CASE("kinds: a schedule with an L is uneven, one without is not") {
  CHECK(is_uneven(parse_schedule("[L(i,[1*8,1*9]), T(32,k), U(i), V(j)]")));
  CHECK_FALSE(is_uneven(parse_schedule("[T(17,i), T(32,k), U(2,j), V(j)]")));
}

TEST_CASE("kinds: the best goes by the second measurement alone, the prediction by all") {
  const std::vector<TimedSchedule> kind{
      {.schedule = "lucky", .predicted_seconds = 3, .seconds = 1, .again_seconds = 2},
      {.schedule = "good", .predicted_seconds = 4, .seconds = 1.5, .again_seconds = 1.75},
      {.schedule = "rest", .predicted_seconds = 2, .seconds = 1.6}};
  CHECK(best_again(kind) == 1.75);
  CHECK(best_predicted(kind) == 2);
  CHECK_FALSE(best_again({kind[2]}).has_value());
  CHECK_FALSE(best_predicted({}).has_value());
  CHECK(
      kind_rows("layer", {.even = "a", .uneven = "b"}, {.even = {kind[0]}, .uneven = {kind[2]}}) ==
      "layer,a,3,1,2,lucky\nlayer,b,2,1.6,,rest\n");
}

TEST_CASE("studies of kinds: files, both kinds, and going on from the records") {
  struct Case {
    std::string name;
    Run run;
    KindNames kinds;
  };
  for (const Case& study :
       {Case{"combinations", study_combinations, {.even = "one kernel", .uneven = "combinations"}},
        Case{"divisibility", study_divisibility, {.even = "divisors", .uneven = "uneven tiles"}}}) {
    CAPTURE(study.name);
    const TemporaryFolder folder;
    StudyOptions chosen = options(folder);
    const std::string said = said_by(study.run, chosen);
    CHECK(content_of(folder / "out/summary.txt") == said);
    if (said.find("nothing was measured") != std::string::npos) {
      MESSAGE("skipped: no core was quiet");
      continue;
    }
    const std::string path = folder / ("out/" + study.name + ".csv");
    const std::string table = content_of(path);
    CHECK(said.find("  " + study.kinds.even + ": ") != std::string::npos);
    CHECK(said.find("  " + study.kinds.uneven + ": ") != std::string::npos);
    CHECK((table.find("\nm17n64k32," + study.kinds.even + ',') != std::string::npos ||
           table.find("\nm17n64k32," + study.kinds.uneven + ',') != std::string::npos));
    CHECK(content_of(folder / ("out/" + study.name + "-m17n64k32.svg")).starts_with("<svg "));
    CHECK_THROWS_WITH_AS(said_by(study.run, chosen),
                         (path + " is there already; --resume goes on with it").c_str(), Error);
    const std::size_t stored = Records(folder / "records.db").find().size();
    CHECK(stored > 0);
    // The records contain the times of all searches. Only the fastest schedules, at most three of
    // each kind, may be measured again.
    chosen.measurements = 1;
    chosen.resume = true;
    said_by(study.run, chosen);
    CHECK(Records(folder / "records.db").find().size() <= stored + 6);
  }
}

TEST_CASE("study divisibility: the model's schedules are of their kind") {
  const TemporaryFolder folder;
  StudyOptions chosen = options(folder);
  const std::string said = said_by(study_divisibility, chosen);
  const std::string table = content_of(folder / "out/divisibility.csv");
  std::size_t line = table.find("\nm17n64k32,divisors,");
  for (; line != std::string::npos; line = table.find("\nm17n64k32,divisors,", line + 1))
    CHECK(table.substr(line + 1, table.find('\n', line + 1) - line).find("L(") ==
          std::string::npos);
  line = table.find("\nm17n64k32,uneven tiles,");
  for (; line != std::string::npos; line = table.find("\nm17n64k32,uneven tiles,", line + 1))
    CHECK(table.substr(line + 1, table.find('\n', line + 1) - line).find("L(") !=
          std::string::npos);
}
