// SPDX-License-Identifier: Apache-2.0
// This test compares rank correlations with numbers computed by hand.
#include "rank_statistics.h"

#include <doctest/doctest.h>

#include <cmath>

#include "close_to.h"

using namespace tileplan;

using Values = std::vector<double>;

TEST_CASE("ranks: the smallest value has rank 1, equal ones share the mean of their places") {
  CHECK(average_ranks(Values{10, 20, 20, 5}) == Values{2, 3.5, 3.5, 1});
  CHECK(average_ranks(Values{7, 7, 7}) == Values{2, 2, 2});
  CHECK(average_ranks(Values{}).empty());
}

TEST_CASE("spearman: only the order counts") {
  CHECK(spearman_rho(Values{1, 2, 3}, Values{10, 1000, 1001}).value() == close_to(1));
  CHECK(spearman_rho(Values{1, 2, 3}, Values{3, 2, 1}).value() == close_to(-1));
}

TEST_CASE("spearman: without ties it is 1 - 6 sum d^2 / (n (n^2 - 1))") {
  // The ranks differ by d = 0, 1, 1 and 0, which gives 1 - 6 * 2 / (4 * 15).
  CHECK(spearman_rho(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}).value() == close_to(0.8));
}

TEST_CASE("spearman: ties take the mean of their ranks") {
  // The ranks are 1 2 3 4 5 and 1 2 3.5 5 3.5. The products of their deviations from the mean add
  // up to 8, and the squares to 10 and 9.5.
  const auto rho = spearman_rho(Values{1, 2, 3, 4, 5}, Values{5, 6, 7, 8, 7});
  CHECK(rho.value() == close_to(8 / std::sqrt(95.0)));
}

TEST_CASE("kendall: concordant less discordant pairs, of all pairs") {
  CHECK(kendall_tau(Values{1, 2, 3, 4}, Values{1, 3, 2, 4}).value() == close_to(4.0 / 6));
  CHECK(kendall_tau(Values{1, 2, 3}, Values{3, 2, 1}).value() == close_to(-1));
}

TEST_CASE("kendall: tied pairs leave the denominator of their side") {
  // Two of 10 pairs are concordant and 6 discordant. Column 1 has 2 tied pairs, and column 2 has 1.
  const auto tau = kendall_tau(Values{12, 2, 1, 12, 2}, Values{1, 4, 7, 1, 0});
  CHECK(tau.value() == close_to(-4 / std::sqrt(8.0 * 9.0)));
}

TEST_CASE("a constant column and fewer than two values have no order to agree on") {
  CHECK_FALSE(spearman_rho(Values{1, 2, 3}, Values{4, 4, 4}));
  CHECK_FALSE(kendall_tau(Values{4, 4, 4}, Values{1, 2, 3}));
  CHECK_FALSE(spearman_rho(Values{1}, Values{1}));
  CHECK_FALSE(kendall_tau(Values{1}, Values{1}));
  CHECK_FALSE(spearman_rho(Values{}, Values{}));
}
