// SPDX-License-Identifier: Apache-2.0
// This file measures microkernels in rounds, repeats disturbed measurements, and fits the rates.
#include "calibrate_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tileplan/error.h"

namespace tileplan {
namespace {

/// Successive calls write to adjacent parts of a region of about this many bytes, which an L2 of
/// 512 KiB holds.
constexpr std::int64_t kOutputBytes = 256 << 10;
/// Returns how many tiles one call of assembled code computes in a row. Entering and leaving the
/// code takes some 60 cycles, or some 260 if it configures tiles of AMX. The measured cycles of a
/// tile contain this time divided by the number of tiles, so rows are long. Predictions count this
/// time in Overheads::dispatch_cycles.
std::int64_t tiles_per_row(const VectorUnit& unit) {
  constexpr std::int64_t kTiles = 32, kOfAmx = 8;
  return uses_tiles(unit.arithmetic) ? kOfAmx : kTiles;
}

constexpr int kShortestCall = 2;  ///< The shortest call has this many steps.

/// Returns the mean of the first two adjacent values of the sorted `visits` that agree. Smaller
/// values are skipped as outliers, at most one per four values. Returns nothing if no two values
/// agree after so few outliers.
std::optional<double> agreeing_mean(const std::vector<double>& visits) {
  constexpr std::size_t kVisitsPerOutlier = 4;
  constexpr double kAgreement = 0.005;
  for (std::size_t i = 0; i <= visits.size() / kVisitsPerOutlier && i + 1 < visits.size(); ++i)
    if (visits[i + 1] <= (1 + kAgreement) * visits[i]) return (visits[i] + visits[i + 1]) / 2;
  return std::nullopt;
}

/// Returns the cycles per tile of calls with most_steps(), with few_steps(), with few_steps() that
/// continue a split reduction, and, except for tiles of AMX, with kShortestCall steps. Returns
/// nothing when other programs disturbed too many samples.
std::optional<std::vector<double>> measure_visit(const RegisterTile& tile,
                                                 const TileMeasuring& how) {
  const TileKernel kernel(tile, how.unit, unroll_of(how.unit));
  const TileKernel shortest(tile, how.unit, kShortestCall);
  const std::int64_t tiles = tiles_per_row(how.unit);
  const char* weights = how.memory + (1 << 20);
  char* output = how.memory + (2 << 20);
  std::int64_t at = 0;
  const auto call = [&](const TileKernel& used, std::int64_t steps, std::int64_t flags) {
    return [&, steps, flags] {
      used.run({.input = how.memory,
                .weights = weights,
                .output = output + at,
                .steps = steps,
                .tiles = tiles,
                .flags = flags});
      at = (at + tiles * kernel.output_bytes()) % kOutputBytes;
    };
  };
  const std::int64_t all = most_steps(tile, how.unit), few = few_steps(how.unit);
  std::vector<GatedTimer::Call> calls{call(kernel, all, 0), call(kernel, few, 0),
                                      call(kernel, few, kAccumulate)};
  if (!uses_tiles(how.unit.arithmetic)) calls.push_back(call(shortest, kShortestCall, 0));
  std::optional<std::vector<double>> cycles = how.timer.cycles(calls, how.samples);
  if (cycles)
    for (double& each : *cycles) each /= static_cast<double>(tiles);
  return cycles;
}

/// Returns KernelRate::cycles_per_short_call. A line leads through two points: kShortestCall steps,
/// which take `shortest` cycles, and kShortCallSteps steps, whose cycles `cycles` tells. The result
/// is the value of the line at no steps, but at least 0 and at most the cycles of kShortCallSteps
/// steps.
double short_call(const CallCycles& cycles, double shortest) {
  const double most = cycles.of(kShortCallSteps);
  const double step = (most - shortest) / (kShortCallSteps - kShortestCall);
  return std::min(most, round_cycles(shortest - kShortestCall * step));
}

}  // namespace

double round_cycles(double cycles) {
  constexpr double kDigits = 1000;
  return std::max(0.0, std::round(cycles * kDigits) / kDigits);
}

std::optional<std::vector<double>> CycleFloor::add(const std::vector<double>& cycles) {
  visits_.resize(cycles.size());
  std::vector<double> means;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    std::vector<double>& call = visits_[i];
    call.insert(std::ranges::upper_bound(call, cycles[i]), cycles[i]);
    if (const auto mean = agreeing_mean(call)) means.push_back(*mean);
  }
  return means.size() == cycles.size() ? std::optional(means) : std::nullopt;
}

KernelRate rate_of(const RegisterTile& tile, const VectorUnit& unit,
                   const std::vector<double>& cycles) {
  const double longer = cycles.at(0), shorter = cycles.at(1), resumed = cycles.at(2);
  const auto steps = static_cast<double>(most_steps(tile, unit));
  // The constant (cycles per call) must not be negative. The mean cycles per step of a call then
  // never rise with its steps, on which the bounds of the search rely.
  const double step =
      std::min((longer - shorter) / (steps - static_cast<double>(few_steps(unit))), longer / steps);
  KernelRate rate{.pixels = tile.pixels,
                  .vectors = tile.vectors,
                  .cycles_per_step = round_cycles(step),
                  .cycles_per_call = round_cycles(longer - step * steps),
                  .cycles_per_resume = round_cycles(resumed - shorter)};
  if (cycles.size() > 3) rate.cycles_per_short_call = short_call(CallCycles(rate), cycles[3]);
  return rate;
}

RoundCounts measure_in_rounds(int count, const std::function<bool(int)>& measure,
                              const std::function<bool()>& time_left) {
  std::vector<int> open(static_cast<std::size_t>(count));
  std::iota(open.begin(), open.end(), 0);
  RoundCounts rounds;
  for (int round = 1; !open.empty() && time_left(); ++round) {
    std::vector<int> again;
    for (const int item : open)
      if (!time_left() || !measure(item)) again.push_back(item);
    open = std::move(again);
    if (round == 2) rounds.repeated = static_cast<int>(open.size());
  }
  rounds.missing = static_cast<int>(open.size());
  rounds.measured = count - rounds.missing;
  return rounds;
}

std::vector<RegisterTile> register_tiles(const VectorUnit& unit) {
  std::vector<RegisterTile> tiles;
  for (int vectors = 1; vectors < unit.registers; ++vectors)
    for (int pixels = 1; pixels <= kMaxPixels; ++pixels)
      if (const RegisterTile tile{.pixels = pixels, .vectors = vectors}; fits_registers(tile, unit))
        tiles.push_back(tile);
  return tiles;
}

RoundCounts measure_tiles(const std::vector<RegisterTile>& tiles, const TileMeasuring& how,
                          const std::function<void(const KernelRate&)>& take) {
  const auto measure = [&](const RegisterTile& tile) { return measure_visit(tile, how); };
  const auto take_rate = [&](const RegisterTile& tile, const std::vector<double>& cycles) {
    take(rate_of(tile, how.unit, cycles));
  };
  return measure_until_agreed(tiles, measure, take_rate, how.time_left);
}

void note_omissions(const RoundCounts& rounds, double trusted, std::vector<std::string>& notes) {
  // A note is added when more than the share kNoisy of the measurements was repeated.
  constexpr double kPercent = 100, kNoisy = 0.05;
  const int all = rounds.measured + rounds.missing;
  if (rounds.measured < trusted * all)
    throw Error(
        "calibrate: only " + std::to_string(rounds.measured) + " of " + std::to_string(all) +
        " microkernels were measured undisturbed in time; at least " +
        std::to_string(std::lround(kPercent * trusted)) +
        " % are needed: try again when the machine is quiet, or with more time (without --quick)");
  if (rounds.repeated > kNoisy * all)
    notes.push_back("noisy machine: " + std::to_string(rounds.repeated) + " of " +
                    std::to_string(all) +
                    " microkernels were disturbed and measured more than twice");
  if (rounds.missing > 0)
    notes.push_back(std::to_string(rounds.missing) +
                    " microkernels were never undisturbed in time and have no measured rate");
}

}  // namespace tileplan
