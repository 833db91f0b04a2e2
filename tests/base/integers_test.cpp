// SPDX-License-Identifier: Apache-2.0
// This test compares the prime factors of small numbers with trial division, and those of 64-bit
// numbers and divisors with known values.
#include "integers.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>

using namespace tileplan;

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers factors_by_trial(std::int64_t n) {
  Numbers primes;
  for (std::int64_t p = 2; n > 1; ++p)
    if (n % p == 0) {
      primes.push_back(p);
      while (n % p == 0) n /= p;
    }
  return primes;
}

}  // namespace

TEST_CASE("prime factors: those of small numbers are found by trial division too") {
  for (std::int64_t n = 1; n <= 3000; ++n) CHECK(prime_factors(n) == factors_by_trial(n));
  for (std::int64_t n = 1'018'000; n <= 1'018'100; ++n)
    CHECK(prime_factors(n) == factors_by_trial(n));
}

TEST_CASE("prime factors: large primes, their squares and products take milliseconds") {
  const auto start = std::chrono::steady_clock::now();
  CHECK(prime_factors(1'000'000'007) == Numbers{1'000'000'007});
  CHECK(prime_factors(1'000'000'007LL * 1'000'000'007) == Numbers{1'000'000'007});
  CHECK(prime_factors(1'000'000'007LL * 998'244'353) == Numbers{998'244'353, 1'000'000'007});
  CHECK(prime_factors(1009LL * 1013 * 1019 * 1021) == Numbers{1009, 1013, 1019, 1021});
  CHECK(prime_factors(1'000'000'000'000'000'003) == Numbers{1'000'000'000'000'000'003});
  CHECK(prime_factors(std::numeric_limits<std::int64_t>::max()) ==
        Numbers{7, 73, 127, 337, 92737, 649657});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  CHECK(seconds.count() < 1);
}

TEST_CASE("divisors: a number and its cofactor are both in the list, which ascends") {
  CHECK(divisors(12) == Numbers{1, 2, 3, 4, 6, 12});
  CHECK(divisors(1'000'000'007LL * 1'000'000'007) ==
        Numbers{1, 1'000'000'007, 1'000'000'007LL * 1'000'000'007});
}
