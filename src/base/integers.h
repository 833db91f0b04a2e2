// SPDX-License-Identifier: Apache-2.0
// This header holds integer arithmetic: rounded quotients, divisors and tests for overflow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace tileplan {

/// Returns the smallest integer >= a / b. Requires a >= 0, b >= 1 and a + b < 2^63.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Returns the smallest multiple of b that is >= a. Requires a >= 0, b >= 1 and a + b < 2^63.
constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) { return ceil_div(a, b) * b; }

/// Returns the largest integer <= a / b, also for negative a. Requires b >= 1, and b - a < 2^63 if
/// a is negative.
constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -ceil_div(-a, b);
}

/// Returns the distinct prime factors of n, ascending. The list is empty for 1. Every n takes much
/// less than a second. Requires n >= 1.
std::vector<std::int64_t> prime_factors(std::int64_t n);

/// Returns the divisors of n, ascending. Requires n >= 1.
inline std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> all = {1};
  for (const std::int64_t prime : prime_factors(n)) {
    const std::size_t without = all.size();
    for (std::int64_t power = 1; n % prime == 0; n /= prime) {
      power *= prime;
      for (std::size_t i = 0; i < without; ++i) all.push_back(power * all[i]);
    }
  }
  std::ranges::sort(all);
  return all;
}

/// Returns true when a * b exceeds 2^63 - 1. Otherwise sets `product` to a * b. Requires a, b >= 0.
constexpr bool multiply_overflows(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return __builtin_mul_overflow(a, b, &product);
}

/// Returns true when a + b exceeds 2^63 - 1. Otherwise sets `sum` to a + b. Requires a, b >= 0.
constexpr bool add_overflows(std::int64_t a, std::int64_t b, std::int64_t& sum) {
  return __builtin_add_overflow(a, b, &sum);
}

}  // namespace tileplan
