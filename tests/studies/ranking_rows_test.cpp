// SPDX-License-Identifier: Apache-2.0
// This test checks that rows of the study `ranking` are written and read back.
#include <doctest/doctest.h>

#include "ranking_table.h"

using namespace tileplan;

namespace {

const std::vector<std::string> kLevels{"L1"};

RankingRow timed_row() {
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
  return timed;
}

RankingRow wrong_row() {
  RankingRow wrong = timed_row();
  wrong.again.reset();
  wrong.rank = 0;
  wrong.candidate.measurement.reset();
  wrong.note = "wrong result: \"nan\", expected 1";
  return wrong;
}

}  // namespace

TEST_CASE("ranking rows: a row reads as it was written, to the last digit") {
  for (const RankingRow& row : {timed_row(), wrong_row()}) {
    const RankingRow read =
        read_ranking_row(csv_fields(csv_line(to_fields(row, kLevels))), kLevels);
    CHECK(read.layer == "toy");
    CHECK(read.rank == row.rank);
    CHECK(read.candidate == row.candidate);
    CHECK(read.note == row.note);
    CHECK(read.again == row.again);
  }
}

TEST_CASE("ranking rows: the columns are named with their units, the origin in words") {
  CHECK(ranking_columns(kLevels) ==
        "layer,origin,rank,predicted_s,compute_s,bottleneck,L1_s,L1_bytes,median_s,"
        "low_s,high_s,kept,samples,again_s,again_low_s,again_high_s,again_kept,"
        "again_samples,note,schedule");
  CHECK(csv_line(to_fields(timed_row(), kLevels)).starts_with("toy,model,2,0.1,"));
  CHECK(csv_line(to_fields(wrong_row(), kLevels)).starts_with("toy,random,,0.1,"));
}

TEST_CASE("ranking rows: a row counts when one of its samples was undisturbed") {
  RankingRow row = timed_row();
  CHECK(row.counts());
  row.candidate.measurement->kept = 0;
  CHECK_FALSE(row.counts());
  CHECK_FALSE(wrong_row().counts());
}
