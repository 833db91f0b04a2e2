// SPDX-License-Identifier: Apache-2.0
// The CSV of the ranking study, there and back, and its error messages.
#include "ranking_rows.h"

#include <doctest/doctest.h>

#include "tileplan/error.h"

using namespace tileplan;

namespace {

RankingTable table() {
  RankingRow timed{.layer = "toy", .rank = 2};
  timed.candidate.schedule = parse_schedule("[T(2,k), T(3,c), U(2,k), V(k)] in=nhwc out=nhwc");
  timed.candidate.prediction = {.seconds = 0.1,
                                .compute_seconds = 1.0 / 3,
                                .levels = {{.name = "L1", .bytes = 4096, .seconds = 1e-9}},
                                .bottleneck = "compute"};
  timed.candidate.measurement = Measurement{
      .median_seconds = 2.5e-7, .low_seconds = 2e-7, .high_seconds = 3e-7, .kept = 7, .samples = 9};
  timed.again = Measurement{.median_seconds = 2.25e-7,
                            .low_seconds = 2e-7,
                            .high_seconds = 3e-7,
                            .kept = 5,
                            .samples = 6};
  RankingRow wrong = timed;
  wrong.again.reset();
  wrong.rank = 0;
  wrong.candidate.measurement.reset();
  wrong.note = "wrong result: \"nan\", expected 1";
  return {.facts = {{"machine", "toy: 2 cores"}, {"seed", "1"}},
          .levels = {"L1"},
          .rows = {timed, wrong}};
}

std::string error_of(const std::string& text) {
  try {
    parse_ranking_csv(text, "a.csv");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("ranking csv: a table reads as it was written, to the last digit") {
  const RankingTable read = parse_ranking_csv(to_csv(table()), "");
  CHECK(read.facts == table().facts);
  CHECK(read.levels == table().levels);
  REQUIRE(read.rows.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(read.rows[i].layer == "toy");
    CHECK(read.rows[i].rank == table().rows[i].rank);
    CHECK(read.rows[i].candidate == table().rows[i].candidate);
    CHECK(read.rows[i].note == table().rows[i].note);
    CHECK(read.rows[i].again == table().rows[i].again);
  }
}

TEST_CASE("ranking csv: the columns are named with their units, the origin in words") {
  const std::string text = to_csv(table());
  CHECK(text.find("\nlayer,origin,rank,predicted_s,compute_s,bottleneck,L1_s,L1_bytes,median_s,"
                  "low_s,high_s,kept,samples,again_s,again_low_s,again_high_s,again_kept,"
                  "again_samples,note,schedule\n") != std::string::npos);
  CHECK(text.find("\"toy\",model,2,0.1,") != std::string::npos);
  CHECK(text.find("\"toy\",random,,0.1,") != std::string::npos);
}

TEST_CASE("ranking csv: a row counts when one of its samples was undisturbed") {
  RankingRow row = table().rows.front();
  CHECK(row.counts());
  row.candidate.measurement->kept = 0;
  CHECK_FALSE(row.counts());
  CHECK_FALSE(table().rows.back().counts());
}

TEST_CASE("ranking csv: what is no table is an error that says where") {
  CHECK(error_of("# seed: 1\n") ==
        "a.csv: has no column names; must be a table of the ranking study");
  CHECK(
      error_of("name,problem\n").starts_with("a.csv:1: 'name,problem'; must be the column names"));
  const std::string good = to_csv(table());
  CHECK(error_of(good + "toy,model\n") == "a.csv:7: 2 columns; must be 20");
  std::string letters = good;
  letters.replace(letters.find(",0.1,"), 5, ",fast,");
  CHECK(error_of(letters) == "a.csv:5: column 4 is 'fast'; must be a number");
}
