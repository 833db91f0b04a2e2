// SPDX-License-Identifier: Apache-2.0
// Computes robust statistics of samples: medians, their confidence intervals, paired ratios.
#pragma once

#include <span>
#include <vector>

namespace tileplan {

/// Returns the middle value, or the mean of the two middle ones. Requires: not empty.
double median(std::vector<double> values);

/// A median with a distribution-free confidence interval.
struct MedianInterval {
  double median = 0;
  double low = 0, high = 0;  ///< order statistics of the sample
  double confidence = 0;  ///< coverage of [low, high]; too small n cannot reach the one asked for
};

/// Returns the narrowest symmetric pair of order statistics that covers the median with at least
/// `confidence`: P(x(j) <= median <= x(n+1-j)) = 1 - 2 P(Binomial(n, 1/2) < j). Returns the whole
/// range when there are too few samples (fewer than 6 for 0.95). Requires: not empty. Example: of 9
/// samples, 0.95 gives the 2nd and the 8th, which cover 1 - 20/512 = 0.961.
MedianInterval median_interval(std::vector<double> values, double confidence = 0.95);

/// One measurement of each side, one directly after the other.
struct SamplePair {
  double first_seconds = 0, second_seconds = 0;
};

/// Returns the two-sided p-value of Student's test that both samples have one mean, with equal
/// variances: t = (m1 - m2) / sqrt(sp^2 (1/n1 + 1/n2)) with sp^2 the pooled variance. Returns 1
/// when no variance can be pooled (n1 + n2 < 3); when it is 0, returns 0 if the means differ, else
/// 1. Example: {1.00, 1.01, 0.99} and {0.90, 0.91, 0.89} give t = 12.247, p = 0.000255.
double t_test_p_value(std::span<const double> a, std::span<const double> b);

/// Returns the one-sided p-value of the exact rank-sum test (Mann and Whitney 1947): that `slow`
/// has the distribution of `fast`, against that it is larger. Ties count for equality. Example:
/// {1, 2, 3} and {4, 5, 6} give 0.05, 1 of the 20 ways to choose three ranks.
double rank_sum_p_value(std::span<const double> fast, std::span<const double> slow);

/// Returns the median over the pairs of second / first: above 1 the first is faster. Slow stretches
/// that cover whole pairs cancel out. Requires: not empty.
MedianInterval median_ratio(std::span<const SamplePair> pairs, double confidence = 0.95);

}  // namespace tileplan
