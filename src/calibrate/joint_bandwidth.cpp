// SPDX-License-Identifier: Apache-2.0
// Each thread reads one word of every cache line in a part of its own.
#include "joint_bandwidth.h"

#include <algorithm>
#include <barrier>
#include <chrono>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

namespace tileplan {
namespace {

using Words = std::span<const std::uint64_t>;
constexpr std::size_t kWordsPerLine = 64 / sizeof(std::uint64_t);

std::uint64_t sum_of_lines(Words words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); i += kWordsPerLine) sum += words[i];
  return sum;
}

/// Reads `words` again and again, and returns the bytes per second.
double read_rate(Words words) {
  constexpr double kSeconds = 0.05;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  volatile std::uint64_t sum = 0;  // This volatile sum keeps the compiler from removing the reads.
  double bytes = 0, seconds = 0;
  while (seconds < kSeconds) {
    sum = sum + sum_of_lines(words);
    bytes += static_cast<double>(words.size_bytes());
    seconds = std::chrono::duration<double>(Clock::now() - start).count();
  }
  return bytes / seconds;
}

/// Returns the sum of the rates of threads that begin together, each with a part of `words`.
double joint_rate(Words words, int threads) {
  const std::size_t part = words.size() / static_cast<std::size_t>(threads);
  std::vector<double> rates(static_cast<std::size_t>(threads));
  std::barrier start(threads);
  std::vector<std::jthread> team;
  for (std::size_t i = 0; i < rates.size(); ++i)
    team.emplace_back([&, i] {
      start.arrive_and_wait();
      rates[i] = read_rate(words.subspan(i * part, part));
    });
  team.clear();  // The destructors of the threads wait until all reads are done.
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace

double joint_load_rate(const Machine& machine, std::int64_t bytes) {
  constexpr int kRounds = 3;  // A disturbance by another program seldom spans all rounds.
  if (machine.caches.empty()) return 0;
  const int threads = std::min(machine.cores, machine.caches.back().shared_by_cores);
  if (threads < 2) return 0;
  const std::vector<std::uint64_t> words(static_cast<std::size_t>(bytes) / sizeof(std::uint64_t));
  double best = 0;
  for (int i = 0; i < kRounds; ++i) best = std::max(best, joint_rate(words, threads));
  return best;
}

}  // namespace tileplan
