// SPDX-License-Identifier: Apache-2.0
// This file computes medians and their confidence intervals, and p-values of rank-sum tests and
// t-tests.
#include "statistics.h"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <numeric>

#include "check.h"

namespace tileplan {
namespace {

/// Returns the probability that the j-th smallest and j-th largest of n values enclose the median.
double coverage(std::size_t n, std::size_t j) {
  const boost::math::binomial below_median(static_cast<double>(n), 0.5);
  return 1 - 2 * boost::math::cdf(below_median, static_cast<double>(j - 1));
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squared_deviations(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

/// Returns, for each u, the number of ways to sort `fast` fast and `slow` slow values such that u
/// pairs (fast, slow) have a larger slow value. These numbers give the distribution of the rank-sum
/// statistic.
std::vector<double> ways_to_win(std::size_t fast, std::size_t slow) {
  // After step i, element u of row j counts the ways for i fast and j slow values.
  const std::size_t most = fast * slow;
  std::vector<std::vector<double>> ways(slow + 1, std::vector<double>(most + 1, 0));
  for (auto& row : ways) row[0] = 1;
  for (std::size_t i = 1; i <= fast; ++i)
    for (std::size_t j = 1; j <= slow; ++j)
      // If the largest value is slow, it exceeds i fast values. If it is fast, it adds no pair.
      for (std::size_t u = most; u >= i; --u) ways[j][u] += ways[j - 1][u - i];
  return std::move(ways.back());
}

}  // namespace

double median(std::vector<double> values) {
  TILEPLAN_CHECK(!values.empty(), "the median of nothing");
  return boost::math::statistics::median(values);
}

MedianInterval median_interval(std::vector<double> values, double confidence) {
  TILEPLAN_CHECK(!values.empty(), "the median of nothing");
  std::ranges::sort(values);
  const std::size_t n = values.size();
  std::size_t j = 1;
  while (2 * (j + 1) <= n && coverage(n, j + 1) >= confidence) ++j;
  return {.median = median(values),
          .low = values[j - 1],
          .high = values[n - j],
          .confidence = n == 1 ? 0 : coverage(n, j)};
}

double t_test_p_value(std::span<const double> a, std::span<const double> b) {
  TILEPLAN_CHECK(!a.empty() && !b.empty(), "a test of nothing");
  const double n1 = static_cast<double>(a.size()), n2 = static_cast<double>(b.size());
  const double freedom = n1 + n2 - 2;
  if (freedom < 1) return 1;
  const double difference = std::abs(mean_of(a) - mean_of(b));
  const double pooled = (squared_deviations(a) + squared_deviations(b)) / freedom;
  if (pooled == 0) return difference > 0 ? 0 : 1;
  const double t = difference / std::sqrt(pooled * (1 / n1 + 1 / n2));
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

double rank_sum_p_value(std::span<const double> fast, std::span<const double> slow) {
  TILEPLAN_CHECK(!fast.empty() && !slow.empty(), "a test of nothing");
  std::ptrdiff_t wins = 0;
  for (const double a : fast) wins += std::ranges::count_if(slow, [a](double b) { return b > a; });
  const std::vector<double> ways = ways_to_win(fast.size(), slow.size());
  return std::accumulate(ways.begin() + wins, ways.end(), 0.0) /
         std::accumulate(ways.begin(), ways.end(), 0.0);
}

MedianInterval median_ratio(std::span<const SamplePair> pairs, double confidence) {
  std::vector<double> ratios;
  ratios.reserve(pairs.size());
  for (const SamplePair& pair : pairs) ratios.push_back(pair.second_seconds / pair.first_seconds);
  return median_interval(std::move(ratios), confidence);
}

}  // namespace tileplan
