// SPDX-License-Identifier: Apache-2.0
// Each line holds the address of the next one, so that no load begins before the previous one ends.
#include "hashed_sets.h"

#include <algorithm>
#include <random>

#include "buffers.h"

namespace tileplan {
namespace {

constexpr std::size_t kPageBytes = 4096;

/// Visits lines in a random order.
class Chain {
 public:
  /// The lines begin at `offsets` from `memory`.
  Chain(char* memory, std::vector<std::size_t> offsets) : at_(memory + offsets.front()) {
    std::ranges::shuffle(offsets.begin() + 1, offsets.end(), std::minstd_rand(1));
    for (std::size_t i = 0; i < offsets.size(); ++i)
      *reinterpret_cast<char**>(memory + offsets[i]) = memory + offsets[(i + 1) % offsets.size()];
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

/// Returns the least seconds that `loads` loads take in several passes. The first pass also fills
/// the caches, and a disturbance by another program seldom spans all passes.
double least_seconds(Chain chain, int loads, const Clock& clock) {
  constexpr int kRounds = 10;
  double least = chain.seconds(loads, clock);
  for (int i = 0; i < kRounds; ++i) least = std::min(least, chain.seconds(loads, clock));
  return least;
}

}  // namespace

std::vector<std::size_t> line_offsets(std::size_t pages, std::size_t positions,
                                      std::size_t line_bytes) {
  std::vector<std::size_t> offsets;
  for (std::size_t i = 0; i < pages; ++i)
    offsets.push_back(2 * kPageBytes * i + i * positions / pages * line_bytes);
  return offsets;
}

bool has_hashed_sets(const CacheLevel& cache, const Clock& clock) {
  // The second level holds lines at eight positions with or without a hash, and L1 does not.
  constexpr std::size_t kPositions = 8;
  // Loads from the third level take three to five times as long as those from the second.
  constexpr double kSlower = 1.5;
  constexpr int kPasses = 20;
  const std::size_t pages = 2 * static_cast<std::size_t>(cache.capacity_bytes) / kPageBytes;
  const int loads = kPasses * static_cast<int>(pages);
  Buffer memory(2 * pages * kPageBytes / sizeof(float));
  char* const begin = reinterpret_cast<char*>(memory.data());
  const auto line_bytes = static_cast<std::size_t>(cache.line_bytes);
  const auto seconds = [&](std::size_t positions) {
    return least_seconds({begin, line_offsets(pages, positions, line_bytes)}, loads, clock);
  };
  const double spread = seconds(kPositions);
  const double together = seconds(1);
  return together < kSlower * spread;
}

}  // namespace tileplan
