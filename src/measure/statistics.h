// SPDX-License-Identifier: Apache-2.0
// Robust statistics of samples: medians, their confidence intervals, paired ratios.
#pragma once

#include <span>
#include <vector>

namespace tileplan {

/// Middle value, or the mean of the two middle ones. Requires: not empty.
double median(std::vector<double> values);

/// A median with a distribution-free confidence interval.
struct MedianInterval {
  double median = 0;
  double low = 0, high = 0;  ///< order statistics of the sample
  double confidence = 0;  ///< coverage of [low, high]; below the one asked for when n is too small
};

/// The narrowest symmetric pair of order statistics that covers the median with at least
/// `confidence`: P(x(j) <= median <= x(n+1-j)) = 1 - 2 P(Binomial(n, 1/2) < j). The whole range
/// when there are too few samples (fewer than 6 for 0.95). Requires: not empty, 0 < confidence < 1.
/// Example: of 9 samples, 0.95 gives the 2nd and the 8th, which cover 1 - 20/512 = 0.961.
MedianInterval median_interval(std::vector<double> values, double confidence = 0.95);

/// One measurement of each side, one directly after the other.
struct SamplePair {
  double first_seconds = 0, second_seconds = 0;
};

/// Two-sided p-value of Student's test that both samples have one mean, equal variances assumed:
/// t = (m1 - m2) / sqrt(sp^2 (1/n1 + 1/n2)) with sp^2 the pooled variance. Without any variance, 0
/// when the means differ and 1 when they do not. 1 when a variance cannot be pooled (n1 + n2 < 3).
/// Requires: both not empty. Example: {1.00, 1.01, 0.99} and {0.90, 0.91, 0.89}: t = 12.247, p =
/// 0.000255.
double t_test_p_value(std::span<const double> a, std::span<const double> b);

/// One-sided p-value of the exact rank-sum test (Mann and Whitney 1947) that `slow` is drawn from
/// the same distribution as `fast`, against that it is larger. No assumption on the distribution;
/// ties count against it. Requires: both not empty. Example: {1, 2, 3} and {4, 5, 6}: 1 of the 20
/// ways to choose three ranks, 0.05.
double rank_sum_p_value(std::span<const double> fast, std::span<const double> slow);

/// Median over the pairs of second / first: above 1 the first is faster. Slow stretches that cover
/// whole pairs cancel out. Requires: not empty.
MedianInterval median_ratio(std::span<const SamplePair> pairs, double confidence = 0.95);

}  // namespace tileplan
