// SPDX-License-Identifier: Apache-2.0
// Linear fits of two lengths, and the rounds that repeat what was disturbed.
#include "calibrate_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tileplan/error.h"

namespace tileplan {

namespace {

constexpr std::int64_t kOutputBytes = 256 << 10;  // that the tiles are written to in turn: L2
constexpr std::int64_t kTiles = 8;                // of a row: nests call the code once per row
constexpr std::int64_t kShorter = 4;              // the shorter call has a quarter of the blocks

double rounded(double cycles) {
  constexpr double kDigits = 1000;
  return std::max(0.0, std::round(cycles * kDigits) / kDigits);
}

/// Mean of the fastest two neighbours of `visits`, fastest first, that agree, with at most a
/// quarter of all before them.
std::optional<double> settled(const std::vector<double>& visits) {
  constexpr std::size_t kVisitsPerOutlier = 4;
  for (std::size_t i = 0; i <= visits.size() / kVisitsPerOutlier && i + 1 < visits.size(); ++i)
    if (visits[i + 1] <= (1 + Floor::kAgreement) * visits[i])
      return (visits[i] + visits[i + 1]) / 2;
  return std::nullopt;
}

std::int64_t shorter_blocks(const FormKernel& kernel) { return kernel.blocks() / kShorter; }

}  // namespace

bool Floor::add(const std::vector<double>& cycles) {
  visits_.resize(cycles.size());
  bool agree = true;
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    std::vector<double>& call = visits_[i];
    call.insert(std::upper_bound(call.begin(), call.end(), cycles[i]), cycles[i]);
    agree = agree && settled(call);
  }
  return agree;
}

std::vector<double> Floor::cycles() const {
  std::vector<double> means;
  means.reserve(visits_.size());
  for (const std::vector<double>& call : visits_) means.push_back(*settled(call));
  return means;
}

std::optional<std::vector<double>> visit(const FormKernel& kernel, bool resumes, GatedTimer& timer,
                                         int samples, char* memory) {
  const char* weights = memory + (1 << 20);
  char* output = memory + (2 << 20);
  std::int64_t at = 0;
  const auto call = [&](std::int64_t blocks, std::int64_t flags) {
    return [&, blocks, flags] {
      kernel.run({.input = memory,
                  .weights = weights,
                  .output = output + at,
                  .blocks = blocks,
                  .tiles = kTiles,
                  .flags = flags});
      at = (at + kTiles * kernel.output_bytes()) % kOutputBytes;
    };
  };
  const std::int64_t few = shorter_blocks(kernel);
  std::vector<GatedTimer::Call> calls{call(kernel.blocks(), 0), call(few, 0)};
  if (resumes) calls.emplace_back(call(few, kAccumulate));
  std::optional<std::vector<double>> cycles = timer.cycles(calls, samples);
  if (cycles)
    for (double& each : *cycles) each /= kTiles;
  return cycles;
}

FormRate form_rate(const KernelForm& form, const FormKernel& kernel,
                   const std::vector<double>& cycles) {
  const double longer = cycles.at(0), shorter = cycles.at(1);
  const std::int64_t steps = kernel.blocks() * kernel.steps_per_block();
  const std::int64_t few = shorter_blocks(kernel) * kernel.steps_per_block();
  const double step = (longer - shorter) / static_cast<double>(steps - few);
  return {.form = form,
          .cycles_per_step = rounded(step),
          .cycles_per_call = rounded(longer - step * static_cast<double>(steps))};
}

KernelForm plain_form(int pixels, int vectors) {
  constexpr int kPlainUnroll = 8;
  return {.w = pixels, .k = vectors, .c = kPlainUnroll};
}

KernelRate tile_rate(int pixels, int vectors, const FormKernel& kernel,
                     const std::vector<double>& cycles) {
  const FormRate rate = form_rate(plain_form(pixels, vectors), kernel, cycles);
  return {.pixels = pixels,
          .vectors = vectors,
          .cycles_per_step = rate.cycles_per_step,
          .cycles_per_call = rate.cycles_per_call,
          .cycles_per_resume = rounded(cycles.at(2) - cycles.at(1))};
}

Rounds measure_in_rounds(int count, const std::function<bool(int)>& measure,
                         const std::function<bool()>& time_left) {
  std::vector<int> open(static_cast<std::size_t>(count));
  std::iota(open.begin(), open.end(), 0);
  Rounds rounds;
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

Rounds measure_tiles(const std::vector<RegisterTile>& tiles, const TileMeasuring& how,
                     const std::function<void(const KernelRate&)>& take) {
  std::vector<Floor> floors(tiles.size());
  const auto measure = [&](int i) {
    const RegisterTile tile = tiles[static_cast<std::size_t>(i)];
    const FormKernel kernel(plain_form(tile.pixels, tile.vectors), how.unit);
    const auto cycles = visit(kernel, true, how.timer, how.samples, how.memory);
    Floor& floor = floors[static_cast<std::size_t>(i)];
    if (!cycles || !floor.add(*cycles)) return false;
    take(tile_rate(tile.pixels, tile.vectors, kernel, floor.cycles()));
    return true;
  };
  return measure_in_rounds(static_cast<int>(tiles.size()), measure, how.time_left);
}

std::vector<std::string> trusted_notes(const Rounds& rounds, double trusted) {
  constexpr double kPercent = 100, kNoisy = 0.05;  // of the kernels repeated: worth a note
  const int all = rounds.measured + rounds.missing;
  if (rounds.measured < trusted * all)
    throw Error("calibrate: only " + std::to_string(rounds.measured) + " of " +
                std::to_string(all) + " microkernels were measured undisturbed; at least " +
                std::to_string(std::lround(kPercent * trusted)) +
                " % are needed: try again when the machine is quiet");
  std::vector<std::string> notes;
  if (rounds.repeated > kNoisy * all)
    notes.push_back("noisy machine: " + std::to_string(rounds.repeated) + " of " +
                    std::to_string(all) +
                    " microkernels were disturbed and measured more than twice");
  if (rounds.missing > 0)
    notes.push_back(std::to_string(rounds.missing) +
                    " microkernels were never undisturbed and have no measured rate");
  return notes;
}

}  // namespace tileplan
