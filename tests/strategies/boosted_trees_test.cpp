// SPDX-License-Identifier: Apache-2.0
// This test checks that trees learn an order of speeds, the measure of how well they do, and the
// error where XGBoost is missing.
#include "boosted_trees.h"

#include <doctest/doctest.h>

#include "average_recall.h"
#include "close_to.h"
#include "error_of.h"

using namespace tileplan;

namespace {

/// Returns all pairs of numbers below `count`. The speed of a pair is its product divided by the
/// largest product.
FeatureTable pairs(int count, std::vector<float>& speeds) {
  FeatureTable table{.columns = 2};
  const auto most = static_cast<float>((count - 1) * (count - 1));
  for (int a = 0; a < count; ++a)
    for (int b = 0; b < count; ++b) {
      table.values.insert(table.values.end(), {static_cast<float>(a), static_cast<float>(b)});
      speeds.push_back(static_cast<float>(a * b) / most);
    }
  return table;
}

}  // namespace

TEST_CASE("average recall: the fastest n among the first n, averaged over n") {
  CHECK(average_recall({3, 2, 1}, {2, 3, 1}, 3) == close_to((0 + 1 + 1) / 3.0));
  CHECK(average_recall({1, 2, 3, 4}, {1, 2, 3, 4}, 64) == 1);
  // The fastest n are compared with the first n by score for n = 1 and n = 2. They have none in
  // common, so the mean is 0.
  CHECK(average_recall({1, 2, 3, 4}, {4, 3, 2, 1}, 2) == 0);
  CHECK(average_recall({}, {}, 2) == 0);
}

TEST_CASE("boosted trees: learn the order of products, and equal rows give equal trees") {
  if (!why_no_trees().empty()) return;
  std::vector<float> speeds;
  const FeatureTable rows = pairs(12, speeds);
  BoostedTrees trees, again;
  trees.fit(rows, speeds);
  const std::vector<float> scores = trees.scores(rows);
  CHECK(average_recall(scores, speeds, 64) > 0.8);
  again.fit(rows, speeds);
  CHECK(again.scores(rows) == scores);
  const std::vector<float> corners = trees.scores({.columns = 2, .values = {0, 0, 11, 11}});
  CHECK(corners[1] > corners[0]);
}

TEST_CASE("boosted trees: without XGBoost one line names the package") {
  if (why_no_trees().empty()) return;
  CHECK(error_of([] { BoostedTrees trees; }) ==
        "boosted trees: tileplan was built without XGBoost; install libxgboost-dev (Debian, "
        "Ubuntu) and build again");
}
