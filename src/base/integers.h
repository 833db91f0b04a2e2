// SPDX-License-Identifier: Apache-2.0
// Exact integer arithmetic that the models share.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace tileplan {

/// Smallest integer >= a / b. Requires a >= 0, b >= 1.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Smallest multiple of b that is >= a. Requires a >= 0, b >= 1.
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

/// Largest integer <= a / b, for negative a too. Requires b >= 1.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -ceil_div(-a, b);
}

/// Divisors of n, ascending. Requires n >= 1.
inline std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> small, large;
  for (std::int64_t d = 1; d <= n / d; ++d) {
    if (n % d != 0) continue;
    small.push_back(d);
    if (d != n / d) large.push_back(n / d);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// a * b, or nothing when it exceeds 2^63 - 1. Requires a, b >= 0.
constexpr bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return __builtin_mul_overflow(a, b, &product);
}

}  // namespace tileplan
