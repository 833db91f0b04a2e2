// SPDX-License-Identifier: Apache-2.0
// Probes the core between samples; one probe serves the sample before it and the one after it.
#include "gated_timer.h"

#include <algorithm>
#include <utility>

#include "statistics.h"

namespace tileplan {
namespace {

constexpr double kSampleSeconds = 15e-6;  ///< long beside the clock's resolution
constexpr int kFirstProbes = 100;         ///< about 10 ms, after which the clock has settled

}  // namespace

GatedTimer::GatedTimer(Clock clock, const Probe& probe, double flops_per_cycle)
    : clock_(std::move(clock)), sentinel_(probe), flops_per_cycle_(flops_per_cycle) {
  for (int i = 0; i < kFirstProbes; ++i) sentinel_.probe();
}

double GatedTimer::seconds(const Call& call, int repeats) const {
  const double start = clock_();
  for (int i = 0; i < repeats; ++i) call();
  return (clock_() - start) / repeats;
}

int GatedTimer::repeats(const Call& call) const {
  constexpr double kShortest = 1e-8;  // the clock's resolution
  call();
  return std::max(1, static_cast<int>(kSampleSeconds / std::max(seconds(call, 1), kShortest)));
}

std::optional<std::vector<double>> GatedTimer::cycles(const std::vector<Call>& calls, int samples) {
  std::vector<int> times;
  times.reserve(calls.size());
  for (const Call& call : calls) times.push_back(repeats(call));
  std::vector<std::vector<double>> kept(calls.size());
  TeamRates before = sentinel_.probe();
  for (int attempt = 0; attempt < 2 * samples; ++attempt) {
    if (static_cast<int>(kept.front().size()) == samples) break;
    std::vector<double> taken(calls.size());
    for (std::size_t i = 0; i < calls.size(); ++i) taken[i] = seconds(calls[i], times[i]);
    const TeamRates after = sentinel_.probe();
    if (sentinel_.is_quiet(before, after))
      for (std::size_t i = 0; i < calls.size(); ++i)
        kept[i].push_back(taken[i] * sentinel_.clock_share(before, after) * hertz());
    before = after;
  }
  if (static_cast<int>(kept.front().size()) * 2 < samples) return std::nullopt;
  std::vector<double> medians;
  medians.reserve(kept.size());
  for (std::vector<double>& one : kept) medians.push_back(median(std::move(one)));
  return medians;
}

}  // namespace tileplan
