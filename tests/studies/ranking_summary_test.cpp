// SPDX-License-Identifier: Apache-2.0
// This test compares the statistics of layers with numbers computed by hand.
#include <doctest/doctest.h>

#include "close_to.h"
#include "ranking_table.h"

using namespace tileplan;

namespace {

struct Times {
  int rank = 0;
  double predicted = 0, measured = 0;
  int kept = 9;
};

std::vector<RankingRow> rows_of(const std::vector<Times>& times) {
  std::vector<RankingRow> rows;
  for (const Times& one : times) {
    RankingRow row{.layer = "toy", .rank = one.rank};
    row.candidate.prediction.seconds = one.predicted;
    row.candidate.measurement =
        Measurement{.median_seconds = one.measured, .kept = one.kept, .samples = 9};
    rows.push_back(row);
  }
  return rows;
}

/// Returns four random schedules whose times have the predicted order, and two schedules of the
/// model, which are slower than the fastest random one.
std::vector<Times> example() {
  return {{.rank = 1, .predicted = 1, .measured = 12},
          {.rank = 2, .predicted = 2, .measured = 11},
          {.predicted = 3, .measured = 10},
          {.predicted = 4, .measured = 40},
          {.predicted = 5, .measured = 50},
          {.predicted = 6, .measured = 60}};
}

}  // namespace

TEST_CASE("ranking: correlations over all rows, the random ones, and the fastest third") {
  const LayerRanking layer = ranking_of(rows_of(example()));
  CHECK(layer.counted == 6);
  // The ranks by measured time are 3 2 1 4 5 6. The sum of d^2 is 8, which gives 1 - 6 * 8 / (6 *
  // 35).
  CHECK(layer.spearman.value() == close_to(1 - 48.0 / 210));
  CHECK(layer.spearman_random.value() == close_to(1));
  // The schedules measured at 10 and 11 are predicted at 3 and 2, in the opposite order.
  CHECK(layer.spearman_fast.value() == close_to(-1));
  // Three of the 15 pairs are discordant.
  CHECK(layer.kendall.value() == close_to(9.0 / 15));
}

TEST_CASE("ranking: regret compares the model's schedules with the best of all") {
  const LayerRanking layer = ranking_of(rows_of(example()));
  CHECK(layer.regret_first.value() == close_to(0.2));
  CHECK(layer.regret_top.value() == close_to(0.1));
}

TEST_CASE("ranking: the second measurement compares the fastest without the luck of the first") {
  std::vector<RankingRow> rows = rows_of(example());
  CHECK_FALSE(ranking_of(rows).regret_again);
  const auto time_again = [&rows](std::size_t row, double seconds, int kept = 25) {
    rows[row].again = Measurement{.median_seconds = seconds, .kept = kept, .samples = 25};
  };
  time_again(1, 10.5);
  time_again(2, 10);
  time_again(3, 1, 0);  // Other programs disturbed all samples.
  CHECK(ranking_of(rows).regret_again.value() == close_to(0.05));
  time_again(0, 9);
  CHECK(ranking_of(rows).regret_again.value() == 0);
}

TEST_CASE("ranking: a row that was never undisturbed is left out, and that is said") {
  std::vector<Times> times = example();
  times[2].kept = 0;  // The fastest schedule has no valid sample.
  std::vector<RankingRow> rows = rows_of(times);
  rows[3].candidate.measurement.reset();
  rows[3].note = "wrong result";
  const LayerRanking layer = ranking_of(rows);
  CHECK(layer.counted == 4);
  CHECK(layer.left_out == 2);
  CHECK(layer.regret_top.value() == 0);
  CHECK(left_out_lines(rows) == "  left out 1: never undisturbed\n  left out 1: wrong result\n");
}

TEST_CASE("ranking: reasons that differ in numbers alone are one reason") {
  std::vector<RankingRow> rows = rows_of(example());
  for (RankingRow& row : rows) row.candidate.measurement.reset();
  for (std::size_t i = 0; i < 5; ++i) rows[i].note = "block of " + std::to_string(8 + i);
  CHECK(left_out_lines(rows) ==
        "  left out 5, such as block of 8\n  left out 1: budget over before it was timed\n");
}

TEST_CASE("ranking: without an undisturbed sample there are no numbers") {
  const LayerRanking layer = ranking_of(rows_of({{.rank = 1, .predicted = 1, .kept = 0}}));
  CHECK_FALSE(layer.spearman);
  CHECK_FALSE(layer.regret_first);
  CHECK(ranking_line(layer).find(" - ") != std::string::npos);
}

TEST_CASE("ranking: the totals are medians and the worst, low for agreement and high for regret") {
  std::vector<LayerRanking> layers(3);
  for (int i = 0; i < 3; ++i) layers[i].spearman = 0.5 + 0.1 * i;
  for (int i = 0; i < 2; ++i) layers[i].regret_first = 0.01 * (i + 1);
  const std::string totals = ranking_totals(layers);
  const std::string median = totals.substr(0, totals.find('\n'));
  const std::string worst = totals.substr(totals.find('\n') + 1);
  CHECK(median.find("0.600") != std::string::npos);
  CHECK(median.find("1.5 %") != std::string::npos);
  CHECK(worst.find("0.500") != std::string::npos);
  CHECK(worst.find("2.0 %") != std::string::npos);
}

TEST_CASE("ranking: the plot shows the rows that count, the model's with their ranks") {
  const std::string svg = ranking_svg(rows_of(example()), ", a machine");
  CHECK(svg.find("toy, a machine") != std::string::npos);
  CHECK(svg.find("predicted time [ms]") != std::string::npos);
  CHECK(svg.find("<title>1. ") != std::string::npos);
}
