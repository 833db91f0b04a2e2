// SPDX-License-Identifier: Apache-2.0
// Each line holds the address of the next one, so that no load begins before the previous one ends.
#include "hashed_sets.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "buffers.h"

namespace tileplan {
namespace {

constexpr std::size_t kPageBytes = 4096;

/// Visits one line in each of many pages, which are two pages apart, in a random order.
class Chain {
 public:
  /// Requires that `memory` has 2 * `pages` pages. The lines of neighbours are at `positions`
  /// different places of their pages.
  Chain(char* memory, std::size_t pages, std::size_t positions, std::size_t line_bytes) {
    std::vector<char*> lines;
    for (std::size_t i = 0; i < pages; ++i)
      lines.push_back(memory + 2 * kPageBytes * i + i % positions * line_bytes);
    std::ranges::shuffle(lines, std::minstd_rand(1));
    for (std::size_t i = 0; i < pages; ++i)
      *reinterpret_cast<char**>(lines[i]) = lines[(i + 1) % pages];
    at_ = lines.front();
  }

  /// Returns the seconds of `loads` loads.
  double seconds(int loads, const Clock& clock) {
    const double start = clock();
    for (int i = 0; i < loads; ++i) at_ = *reinterpret_cast<char* volatile*>(at_);
    return clock() - start;
  }

 private:
  char* at_;
};

/// Returns the least seconds of several times `loads` loads, after as many loads that fill the
/// caches. A disturbance by another program seldom spans all of them.
double least_seconds(Chain chain, int loads, const Clock& clock) {
  constexpr int kRounds = 10;
  double least = chain.seconds(loads, clock);
  for (int i = 0; i < kRounds; ++i) least = std::min(least, chain.seconds(loads, clock));
  return least;
}

}  // namespace

bool has_hashed_sets(const CacheLevel& cache, const Clock& clock) {
  constexpr std::size_t kPositions = 8;  // The second level holds these lines, and L1 does not.
  // Loads from the third level take three to five times as long as those from the second.
  constexpr double kSlower = 1.5;
  constexpr int kPasses = 20;
  const std::size_t pages = 2 * static_cast<std::size_t>(cache.capacity_bytes) / kPageBytes;
  const int loads = kPasses * static_cast<int>(pages);
  Buffer memory(2 * pages * kPageBytes / sizeof(float));
  char* const begin = reinterpret_cast<char*>(memory.data());
  const auto line_bytes = static_cast<std::size_t>(cache.line_bytes);
  const double spread = least_seconds({begin, pages, kPositions, line_bytes}, loads, clock);
  const double together = least_seconds({begin, pages, 1, line_bytes}, loads, clock);
  return together < kSlower * spread;
}

}  // namespace tileplan
