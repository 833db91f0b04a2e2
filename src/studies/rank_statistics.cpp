// SPDX-License-Identifier: Apache-2.0
// Boost has no rank correlation, and these are short.
#include "rank_statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "check.h"

namespace tileplan {

std::vector<double> average_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double rank = static_cast<double>(first + 1 + end) / 2;
    for (; first < end; ++first) ranks[order[first]] = rank;
  }
  return ranks;
}

std::optional<double> spearman_rho(std::span<const double> first, std::span<const double> second) {
  TILEPLAN_CHECK(first.size() == second.size(), "ranks are compared in pairs");
  const std::vector<double> a = average_ranks(first), b = average_ranks(second);
  const double mean = (static_cast<double>(a.size()) + 1) / 2;
  double both = 0, square_a = 0, square_b = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    both += (a[i] - mean) * (b[i] - mean);
    square_a += (a[i] - mean) * (a[i] - mean);
    square_b += (b[i] - mean) * (b[i] - mean);
  }
  if (square_a == 0 || square_b == 0) return std::nullopt;
  return both / std::sqrt(square_a * square_b);
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
  if (untied_first == 0 || untied_second == 0) return std::nullopt;
  return balance / std::sqrt(untied_first * untied_second);
}

}  // namespace tileplan
