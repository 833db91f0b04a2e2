// SPDX-License-Identifier: Apache-2.0
// This file computes the rank correlations of Spearman and Kendall, which Boost lacks.
#include "rank_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.h"
#include "mapped.h"

namespace tileplan {

std::vector<double> average_ranks(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return mapped(values, [&](double value) {
    const auto [first, end] = std::equal_range(sorted.begin(), sorted.end(), value);
    return static_cast<double>(first - sorted.begin() + 1 + (end - sorted.begin())) / 2;
  });
}

std::optional<double> spearman_rho(std::span<const double> first, std::span<const double> second) {
  TILEPLAN_CHECK(first.size() == second.size(), "ranks are compared in pairs");
  const std::vector<double> a = average_ranks(first), b = average_ranks(second);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  const auto covariance = [mean](const std::vector<double>& x, const std::vector<double>& y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0, std::plus<>(),
                              [mean](double p, double q) { return (p - mean) * (q - mean); });
  };
  const double variances = covariance(a, a) * covariance(b, b);
  return variances == 0 ? std::nullopt : std::optional(covariance(a, b) / std::sqrt(variances));
}

std::optional<double> kendall_tau(std::span<const double> first, std::span<const double> second) {
  TILEPLAN_CHECK(first.size() == second.size(), "ranks are compared in pairs");
  const auto sign = [](double a, double b) { return (a < b) - (a > b); };
  double balance = 0, untied_first = 0, untied_second = 0;
  for (std::size_t i = 0; i < first.size(); ++i)
    for (std::size_t j = i + 1; j < first.size(); ++j) {
      const int a = sign(first[i], first[j]), b = sign(second[i], second[j]);
      balance += a * b;
      untied_first += a * a;
      untied_second += b * b;
    }
  const double untied = untied_first * untied_second;
  return untied == 0 ? std::nullopt : std::optional(balance / std::sqrt(untied));
}

}  // namespace tileplan
