// SPDX-License-Identifier: Apache-2.0
// Kernel rates: two lengths per register tile, each between two probes, linear fit. Bandwidths: the
// microkernel's own weight stream (reads) and its stores, over working sets that fit the next level
// only.
#include "calibrate.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <optional>

#include "buffers.h"
#include "microkernel.h"
#include "overlap_fit.h"
#include "statistics.h"
#include "throughput.h"
#include "tileplan/error.h"
#include "timer.h"

namespace tileplan {

namespace {

constexpr std::int64_t kFloat = 4;
constexpr double kSampleSeconds = 15e-6;  // long against the clock, short against disturbances
constexpr std::int64_t kWeightsBytes =
    20 << 10;  // of the longer kernel: stays in L1 beside the pixels
constexpr std::int64_t kOutputBytes = 256 << 10;    // that the tiles are written to in turn: L2
constexpr std::int64_t kShorter = 4;                // the shorter kernel has a quarter of the steps
constexpr std::int64_t kLargestStream = 640 << 20;  // bytes, of a walk through memory at most
constexpr std::int64_t kTiles = 2 << 20;  // bytes behind the stream, for pixels and outputs
constexpr double kStreamSeconds = 0.04;   // per link and direction: outlasts short disturbances
constexpr double kInside = 0.4;           // share of the source level that a stream covers
constexpr std::int64_t kOverlapBytes = 8 << 20;  // of weights that stream beside computation
constexpr double kTrusted = 0.8;                 // of the tiles must have been measured

/// A tile of `pixels` rows, `stride` input floats apart, writing consecutive rows of the output.
Microkernel tile_kernel(RegisterTile tile, Isa isa, std::int64_t stride, int prefetch = 0) {
  MicrokernelSpec spec;
  spec.isa = isa;
  spec.vectors = tile.vectors;
  spec.vector_stride = std::int64_t{lanes_of(isa)} * kFloat;
  spec.unroll = 8;
  spec.prefetch = prefetch;
  for (int p = 0; p < tile.pixels; ++p) {
    spec.input_offsets.push_back(p * stride * kFloat);
    spec.output_offsets.push_back(p * spec.vector_stride * tile.vectors);
  }
  spec.bodies = {all_pixels(tile.pixels)};
  return Microkernel(spec);
}

/// Twice the last cache, so that most of a walk comes from memory.
std::int64_t longest_stream(const Machine& machine) {
  constexpr std::int64_t kShortest = 64 << 20;
  const std::int64_t last = machine.caches.empty() ? 0 : machine.caches.back().capacity_bytes;
  return std::clamp(2 * last, kShortest, kLargestStream);
}

class Calibration {
 public:
  Calibration(Machine machine, const CalibrateOptions& options)
      : machine_(std::move(machine)),
        options_(options),
        isa_(machine_.vector.isa),
        clock_(steady_clock()),
        sentinel_(make_probe(isa_)),
        stream_bytes_(longest_stream(machine_)),
        memory_(static_cast<std::size_t>((stream_bytes_ + kTiles) / kFloat)) {}

  Machine measure();

 private:
  void measure_peak();
  std::optional<KernelRate> kernel_rate(const RegisterTile& tile);
  void measure_kernels();
  void measure_bandwidths();
  void measure_prefetch();
  void add_overlaps(std::size_t level, std::vector<OverlapPoint>& points);
  void measure_overlap();
  double seconds_per_call(const std::function<void()>& call);
  double flops_per_cycle() const { return 2.0 * machine_.vector.lanes * machine_.vector.fma_units; }
  /// Weights of one reduction step.
  std::int64_t row_bytes(const RegisterTile& tile) const {
    return kFloat * tile.vectors * machine_.vector.lanes;
  }
  bool time_left() const { return clock_() - start_ < options_.budget_seconds; }
  double stream_rate(std::int64_t bytes, bool write);

  Machine machine_;
  CalibrateOptions options_;
  Isa isa_;
  Clock clock_;
  Sentinel sentinel_;
  std::int64_t stream_bytes_;
  Buffer memory_;
  double start_ = 0;
};

/// Median cycles-equivalent seconds of one call at the best clock seen, or 0 when never
/// undisturbed.
double Calibration::seconds_per_call(const std::function<void()>& call) {
  call();
  const double once_start = clock_();
  call();
  const double once = std::max(clock_() - once_start, 1e-8);
  const int repeats = std::max(1, static_cast<int>(kSampleSeconds / once));
  std::vector<double> kept;
  for (int sample = 0; static_cast<int>(kept.size()) < options_.samples; ++sample) {
    if (sample >= options_.samples && !time_left()) break;
    const Rates before = sentinel_.probe();
    const double start = clock_();
    for (int i = 0; i < repeats; ++i) call();
    const double seconds = (clock_() - start) / repeats;
    const Rates after = sentinel_.probe();
    if (sentinel_.is_quiet(before, after))
      kept.push_back(seconds * sentinel_.clock_share(before, after));
  }
  return static_cast<int>(kept.size()) * 2 < options_.samples ? 0 : median(kept);
}

/// The clock is what explains the peak; one FMA unit or two is told apart by a loop of one cycle
/// per trip.
void Calibration::measure_peak() {
  constexpr double kPeakSeconds = 0.1;
  constexpr std::int64_t kTrips = 100000;
  constexpr double kOneUnit =
      1.5;  // flop rates below this many units per cycle come from a single one
  const double peak = peak_flops_measured(isa_, kPeakSeconds);
  double shortest = 1;
  for (int i = 0; i < 20; ++i) {
    std::int64_t trips = kTrips;
    const double start = clock_();
    asm volatile("1: dec %0\n jnz 1b" : "+r"(trips) : : "cc");
    shortest = std::min(shortest, clock_() - start);
  }
  const double units = peak * shortest / kTrips / (2.0 * machine_.vector.lanes);
  machine_.vector.fma_units = units < kOneUnit ? 1 : 2;
  machine_.hertz = peak / flops_per_cycle();
}

/// Rate of one tile from two lengths and a call that resumes; nothing when one of them was never
/// undisturbed.
std::optional<KernelRate> Calibration::kernel_rate(const RegisterTile& tile) {
  const std::int64_t row = row_bytes(tile);
  const std::int64_t steps = kWeightsBytes / row, few = steps / kShorter;
  const Microkernel kernel = tile_kernel(tile, isa_, steps + machine_.vector.lanes);
  char* input = reinterpret_cast<char*>(memory_.data());
  char* weights = input + (1 << 20);
  char* output = weights + (1 << 20);
  std::int64_t at = 0;
  const auto time = [&](std::int64_t length, std::int64_t flags) {
    const Run run{
        .input = 0, .weights = 0, .steps = length, .body = kernel.body(all_pixels(tile.pixels))};
    return seconds_per_call([&] {
      kernel.function()(input, weights, output + at, &run, 1, flags, nullptr, 0, nullptr);
      at = (at + tile.pixels * row) % kOutputBytes;
    });
  };
  const double longer = time(steps, 0), shorter = time(few, 0), resumed = time(few, kAccumulate);
  if (longer == 0 || shorter == 0 || resumed == 0) return std::nullopt;
  const double step = (longer - shorter) / static_cast<double>(steps - few);
  const double call = longer - step * static_cast<double>(steps);
  return KernelRate{.pixels = tile.pixels,
                    .vectors = tile.vectors,
                    .cycles_per_step = step * machine_.hertz,
                    .cycles_per_call = std::max(0.0, call * machine_.hertz),
                    .cycles_per_resume = std::max(0.0, (resumed - shorter) * machine_.hertz)};
}

void Calibration::measure_kernels() {
  machine_.kernels.clear();
  int missing = 0;
  for (int vectors = 1; vectors < machine_.vector.registers; ++vectors)
    for (int pixels = 1; pixels <= kMaxPixels; ++pixels) {
      const RegisterTile tile{.pixels = pixels, .vectors = vectors};
      if (!fits_registers(tile, machine_.vector)) break;
      const std::optional<KernelRate> rate = kernel_rate(tile);
      if (rate) machine_.kernels.push_back(*rate);
      if (!rate) ++missing;
    }
  const auto measured = static_cast<double>(machine_.kernels.size());
  if (measured < kTrusted * (measured + missing))
    throw Error("calibrate: only " + std::to_string(machine_.kernels.size()) + " of " +
                std::to_string(machine_.kernels.size() + missing) +
                " microkernels were measured undisturbed; at least 80 % are needed: try again when "
                "the machine is quiet");
  if (missing > 0)
    machine_.notes.push_back(std::to_string(missing) +
                             " microkernels were never undisturbed and have no measured rate");
}

/// Bytes per second of walking `bytes` once per call, by loads of weights or by stores of tiles.
double Calibration::stream_rate(std::int64_t bytes, bool write) {
  const int vectors = machine_.vector.registers / 4;
  const RegisterTile tile = write ? RegisterTile{.pixels = 4, .vectors = 2}
                                  : RegisterTile{.pixels = 1, .vectors = vectors};
  const Microkernel kernel = tile_kernel(tile, isa_, machine_.vector.lanes);
  const std::int64_t row = row_bytes(tile);
  const Run run{
      .input = 0, .weights = 0, .steps = bytes / row, .body = kernel.body(all_pixels(tile.pixels))};
  char* base = reinterpret_cast<char*>(memory_.data());
  const auto walk = [&] {
    if (!write)
      return kernel.function()(base + stream_bytes_, base, base + stream_bytes_, &run, 1, 0,
                               nullptr, 0, nullptr);
    for (std::int64_t at = 0; at + tile.pixels * row <= bytes; at += tile.pixels * row)
      kernel.function()(base, base, base + at, &run, 0, 0, nullptr, 0, nullptr);
  };
  walk();
  double best = 0;
  const double until = clock_() + kStreamSeconds;
  for (int i = 0; i < options_.samples || clock_() < until; ++i) {
    const double start = clock_();
    walk();
    best = std::max(best, static_cast<double>(bytes) / (clock_() - start));
  }
  return best;
}

void Calibration::measure_bandwidths() {
  for (std::size_t level = 0; level < machine_.caches.size(); ++level) {
    CacheLevel& cache = machine_.caches[level];
    const bool from_memory = level + 1 == machine_.caches.size();
    const auto inside = [&](const CacheLevel& source) {
      return static_cast<std::int64_t>(kInside * static_cast<double>(source.capacity_bytes));
    };
    const std::int64_t bytes =
        from_memory
            ? stream_bytes_
            : std::min(std::max(inside(machine_.caches[level + 1]), 2 * cache.capacity_bytes),
                       stream_bytes_);
    cache.fill_bytes_per_second = stream_rate(bytes, false);
    cache.write_bytes_per_second = stream_rate(bytes, true);
    cache.rate_source = "calibrate, working set " + std::to_string(bytes >> 10) +
                        " KiB, fastest walk of weights and of stored tiles, one core";
  }
}

/// The prefetch distance with which the largest tile of two vectors runs fastest on weights from
/// L2.
void Calibration::measure_prefetch() {
  constexpr double kWorthIt = 0.99;  // a distance must save 1 %
  RegisterTile tile{.pixels = 1, .vectors = 2};
  while (fits_registers({tile.pixels + 1, tile.vectors}, machine_.vector)) ++tile.pixels;
  const std::int64_t row = row_bytes(tile);
  const std::int64_t steps =
      static_cast<std::int64_t>(kInside * static_cast<double>(machine_.caches[1].capacity_bytes)) /
      row;
  char* weights = reinterpret_cast<char*>(memory_.data());
  char* input = weights + stream_bytes_;
  double fastest = 0;
  machine_.prefetch_steps = 0;
  for (const int distance : {0, 8, 16}) {
    // Pixels beside each other and one step apart: the input stays in L1 however long the stream
    // is.
    const Microkernel kernel = tile_kernel(tile, isa_, 0, distance);
    const Run run{
        .input = 0, .weights = 0, .steps = steps, .body = kernel.body(all_pixels(tile.pixels))};
    const double seconds = seconds_per_call([&] {
      kernel.function()(input, weights, input + kTiles / 2, &run, 1, 0, nullptr, 0, nullptr);
    });
    if (seconds == 0 || (fastest > 0 && seconds > kWorthIt * fastest)) continue;
    fastest = seconds;
    machine_.prefetch_steps = distance;
  }
}

/// Seconds per step of tiles whose weights come from the level beyond `level`, and of the two parts
/// measured before.
void Calibration::add_overlaps(std::size_t level, std::vector<OverlapPoint>& points) {
  const double source = static_cast<double>(machine_.caches[level + 1].capacity_bytes);
  const std::int64_t bytes = std::min(static_cast<std::int64_t>(kInside * source), kOverlapBytes);
  char* weights = reinterpret_cast<char*>(memory_.data());
  char* input = weights + stream_bytes_;
  for (const KernelRate& rate : machine_.kernels) {
    const RegisterTile tile{.pixels = rate.pixels, .vectors = rate.vectors};
    if (tile.vectors != 2 || tile.pixels % 2 != 0) continue;
    const std::int64_t row = row_bytes(tile);
    const Microkernel kernel = tile_kernel(tile, isa_, 0);
    const Run run{.input = 0,
                  .weights = 0,
                  .steps = bytes / row,
                  .body = kernel.body(all_pixels(tile.pixels))};
    const double seconds = seconds_per_call([&] {
      kernel.function()(input, weights, input + kTiles / 2, &run, 1, 0, nullptr, 0, nullptr);
    });
    if (seconds == 0) continue;
    const auto steps = static_cast<double>(run.steps);
    points.push_back(
        {.compute = rate.cycles_per_step / machine_.hertz,
         .transfer = static_cast<double>(row) / machine_.caches[level].fill_bytes_per_second,
         .both = seconds / steps});
  }
}

void Calibration::measure_overlap() {
  std::vector<OverlapPoint> points;
  for (std::size_t level = 0; level + 1 < machine_.caches.size(); ++level)
    add_overlaps(level, points);
  if (const std::optional<double> exponent = fit_overlap(points))
    machine_.overlap_exponent = *exponent;
  else
    machine_.notes.push_back("overlap exponent assumed: no undisturbed sample tells it");
}

Machine Calibration::measure() {
  start_ = clock_();
  machine_.notes.clear();  // those of detection, which every detection finds again
  measure_peak();
  measure_kernels();
  measure_bandwidths();
  if (machine_.caches.size() > 1) measure_prefetch();
  measure_overlap();
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", &utc);
  machine_.calibrated = std::string("quick, ") + date + ", median of " +
                        std::to_string(options_.samples) + " gated samples per length";
  return machine_;
}

}  // namespace

Machine calibrate(Machine detected, const CalibrateOptions& options) {
  const PinnedThread pinned;
  return Calibration(std::move(detected), options).measure();
}

}  // namespace tileplan
