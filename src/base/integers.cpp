// SPDX-License-Identifier: Apache-2.0
// Small primes are divided out. Pollard's rho method splits the remaining factor, because dividing
// by every number up to the root of 10^18 takes seconds.
#include "integers.h"

#include <numeric>

namespace tileplan {
namespace {

constexpr std::int64_t kSmall = 1000;
__extension__ using Wide = unsigned __int128;

std::int64_t multiply_modulo(std::int64_t a, std::int64_t b, std::int64_t n) {
  return static_cast<std::int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) %
                                   static_cast<Wide>(n));
}

std::int64_t power_modulo(std::int64_t base, std::int64_t exponent, std::int64_t n) {
  std::int64_t result = 1;
  for (base %= n; exponent > 0; exponent /= 2, base = multiply_modulo(base, base, n))
    if (exponent % 2 == 1) result = multiply_modulo(result, base, n);
  return result;
}

/// Returns true when `base` proves by the Miller-Rabin test that the odd number n is composite.
/// Requires n - 1 = odd * 2^twos.
bool is_witness(std::int64_t base, std::int64_t n, std::int64_t odd, int twos) {
  std::int64_t value = power_modulo(base, odd, n);
  if (value == 1 || value == n - 1) return false;
  for (int i = 1; i < twos; ++i) {
    value = multiply_modulo(value, value, n);
    if (value == n - 1) return false;
  }
  return true;
}

/// Returns true when n is prime. Requires an odd n > kSmall. With the first 12 primes as bases, the
/// Miller-Rabin test is exact for every 64-bit number (Sorenson and Webster, Math. Comp. 86, 2017).
bool is_prime(std::int64_t n) {
  const int twos = __builtin_ctzll(static_cast<unsigned long long>(n - 1));
  for (const std::int64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37})
    if (is_witness(base, n, (n - 1) >> twos, twos)) return false;
  return true;
}

/// Returns a divisor of the composite n other than 1 and n, by Pollard's rho method. If a sequence
/// becomes periodic without finding a divisor, another constant is tried.
std::int64_t proper_divisor(std::int64_t n) {
  for (std::int64_t constant = 1;; ++constant) {
    const auto next = [&](std::int64_t x) {
      return static_cast<std::int64_t>(
          (static_cast<Wide>(multiply_modulo(x, x, n)) + static_cast<Wide>(constant)) %
          static_cast<Wide>(n));
    };
    std::int64_t slow = 2, fast = 2, divisor = 1;
    while (divisor == 1) {
      slow = next(slow);
      fast = next(next(fast));
      divisor = std::gcd(slow > fast ? slow - fast : fast - slow, n);
    }
    if (divisor != n) return divisor;
  }
}

/// Appends the prime factors of n, with repetitions, to `primes`. Requires that n is 1, a prime, or
/// a number without prime factors up to kSmall.
void split(std::int64_t n, std::vector<std::int64_t>& primes) {
  if (n == 1) return;
  if (n <= kSmall * kSmall || is_prime(n)) return primes.push_back(n);
  const std::int64_t divisor = proper_divisor(n);
  split(divisor, primes);
  split(n / divisor, primes);
}

}  // namespace

std::vector<std::int64_t> prime_factors(std::int64_t n) {
  std::vector<std::int64_t> primes;
  for (std::int64_t p = 2; p <= kSmall && p <= n / p; ++p) {
    if (n % p != 0) continue;
    primes.push_back(p);
    while (n % p == 0) n /= p;
  }
  split(n, primes);
  std::ranges::sort(primes);
  primes.erase(std::unique(primes.begin(), primes.end()), primes.end());
  return primes;
}

}  // namespace tileplan
