// SPDX-License-Identifier: Apache-2.0
// This file probes the speed of the core between samples. A probe ends one sample and begins the
// next.
#include "gated_timer.h"

#include <algorithm>
#include <utility>

#include "statistics.h"
#include "warm_up.h"

namespace tileplan {
namespace {

/// A call is repeated for about this long in a sample, because shorter times suffer from the
/// clock's resolution.
constexpr double kShortestSample = 15e-6;
/// This many probes take 10 ms, in which the frequency of the core settles.
constexpr int kSettlingProbes = 100;

}  // namespace

GatedTimer::GatedTimer(Clock clock, const Probe& probe, double flops_per_cycle)
    : clock_(std::move(clock)), sentinel_(probe), flops_per_cycle_(flops_per_cycle) {
  for (int i = 0; i < kSettlingProbes; ++i) sentinel_.probe();
}

double GatedTimer::seconds(const Call& call, int repeats) const {
  const double start = clock_();
  for (int i = 0; i < repeats; ++i) call();
  return (clock_() - start) / repeats;
}

int GatedTimer::repeats(const Call& call) const {
  // A shorter time counts as this time, because the clock cannot resolve it.
  constexpr double kShortest = 1e-8;
  constexpr int kMostWarming = 20;
  int runs = 0;
  const double last =
      warm_up([&] { return seconds(call, 1); }, [&] { return ++runs <= kMostWarming; });
  return std::max(1, static_cast<int>(kShortestSample / std::max(last, kShortest)));
}

std::optional<std::vector<double>> GatedTimer::cycles(const std::vector<Call>& calls, int samples) {
  std::vector<int> times;
  times.reserve(calls.size());
  for (const Call& call : calls) times.push_back(repeats(call));
  std::vector<std::vector<double>> kept(calls.size());
  TeamRates before = sentinel_.probe();
  for (int attempt = 0; attempt < 2 * samples && std::ssize(kept.front()) < samples; ++attempt) {
    std::vector<double> taken(calls.size());
    std::ranges::transform(calls, times, taken.begin(),
                           std::bind_front(&GatedTimer::seconds, this));
    const TeamRates after = sentinel_.probe();
    if (sentinel_.is_quiet(before, after))
      for (std::size_t i = 0; i < calls.size(); ++i)
        kept[i].push_back(taken[i] * sentinel_.clock_share(before, after) * hertz());
    before = after;
  }
  if (std::ssize(kept.front()) * 2 < samples) return std::nullopt;
  std::vector<double> medians(kept.size());
  std::ranges::transform(kept, medians.begin(), median);
  return medians;
}

}  // namespace tileplan
