// SPDX-License-Identifier: Apache-2.0
// This file computes medians and median ratios of paired samples with confidence intervals, and
// the p-values of the t-test and of the rank-sum test.
#pragma once

#include <span>
#include <vector>

#include "tileplan/compare.h"

namespace tileplan {

/// Returns the middle value, or the mean of the two middle values. Requires that `values` is not
/// empty.
double median(std::vector<double> values);

/// Returns the median and its confidence interval: the narrowest interval from the j-th smallest to
/// the j-th largest value that contains the median with probability 1 - 2 P(Binomial(n, 1/2) < j)
/// >= `confidence`. With too few values, the interval is the whole range.
/// MedianInterval::confidence holds the probability that is reached, or 0 for a single value. For 9
/// values and 0.95, j is 2. Requires at least one value.
MedianInterval median_interval(std::vector<double> values, double confidence = 0.95);

/// Holds the times of two workloads. Both were measured shortly after each other, so they share
/// most disturbances.
struct SamplePair {
  double first_seconds = 0, second_seconds = 0;
};

/// Returns the two-sided p-value of Student's t-test with pooled variance, for the hypothesis that
/// both means are equal, or 1 when there are fewer than three values together. If the values of
/// each side are equal, returns 1 for equal means and 0 for different ones. Requires at least one
/// value on each side. Example: {1.00, 1.01, 0.99} and {0.90, 0.91, 0.89} give 0.000255.
double t_test_p_value(std::span<const double> a, std::span<const double> b);

/// Returns the one-sided p-value of the exact rank-sum test (Mann and Whitney 1947) for the
/// hypothesis that `slow` is not larger than `fast`. Ties support this hypothesis. Requires at
/// least one value on each side. Example: {1, 2, 3} and {4, 5, 6} give 0.05.
double rank_sum_p_value(std::span<const double> fast, std::span<const double> slow);

/// Returns the median of second / first. Slowdowns that affect both times of a pair cancel.
/// Requires at least one pair.
MedianInterval median_ratio(std::span<const SamplePair> pairs, double confidence = 0.95);

}  // namespace tileplan
