// SPDX-License-Identifier: Apache-2.0
// This file times microkernels that mostly read weights or write tiles.
#include "calibrate_links.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

#include "calibrate_kernels.h"
#include "capacity_sweep.h"
#include "overlap_fit.h"
#include "statistics.h"
#include "throughput.h"

namespace tileplan {
namespace {

/// Behind the streamed bytes, the memory has this many bytes for inputs and outputs of kernels that
/// read weights.
constexpr std::int64_t kRegionBytes = kKernelBytes;
/// Measuring a link's bandwidth takes at least this many seconds. Most disturbances by other
/// programs are shorter.
constexpr double kStreamSeconds = 0.04;
/// Gives the usual size of a working set as a share of the cache that holds it.
constexpr double kInside = 0.4;
/// Kernels that measure the overlap or prefetches read at most this many bytes of weights per call.
constexpr std::int64_t kOverlapBytes = 8 << 20;

/// Makes a microkernel that writes output rows that are adjacent or `stores.row_stride` bytes
/// apart.
Microkernel stream_kernel(RegisterTile tile, const VectorUnit& unit, const Reads& reads = {},
                          const Stores& stores = {}) {
  MicrokernelSpec spec;
  spec.isa = unit.isa;
  spec.vectors = tile.vectors;
  spec.vector_stride = std::int64_t{unit.lanes} * kFloatBytes;
  spec.reduction.unroll = 8;
  spec.prefetch.weight_steps = reads.prefetch;
  spec.weights.step_stride = reads.weight_stride;
  for (int p = 0; p < tile.pixels; ++p) {
    spec.input_offsets.push_back(p * reads.row_stride);
    spec.output_offsets.push_back(
        p * (stores.row_stride > 0 ? stores.row_stride : spec.vector_stride * tile.vectors));
  }
  spec.reduction.bodies = {all_pixels(tile.pixels)};
  spec.output.nontemporal = stores.streamed;
  return Microkernel(spec);
}

std::int64_t row_bytes(int vectors, const VectorUnit& unit) {
  return kFloatBytes * vectors * unit.lanes;
}

/// Returns a tile of two vectors with half of the pixels that fit in the registers.
RegisterTile half_tile(const VectorUnit& unit) {
  RegisterTile largest{.pixels = 1, .vectors = 2};
  while (fits_registers({largest.pixels + 1, largest.vectors}, unit)) ++largest.pixels;
  return {.pixels = std::max(1, largest.pixels / 2), .vectors = 2};
}

std::int64_t inside(const CacheLevel& source) {
  return static_cast<std::int64_t>(kInside * static_cast<double>(source.capacity_bytes));
}

/// Returns the size of a working set that streams from `source` into `cache`. It is the share
/// kInside of `source`, but at least twice and at most 16 times as large as `cache`, since layers
/// seldom have more data. A larger set would measure the TLB. In a last cache of hundreds of MB
/// that other virtual machines share, it would measure the memory.
std::int64_t streaming_set(const CacheLevel& cache, const CacheLevel& source) {
  constexpr std::int64_t kMost = 16;
  return std::max(2 * cache.capacity_bytes, std::min(inside(source), kMost * cache.capacity_bytes));
}

}  // namespace

std::int64_t longest_stream(const Machine& machine) {
  constexpr std::int64_t kShortest = 64 << 20, kLongest = 640 << 20;
  const std::int64_t last = machine.caches.empty() ? 0 : machine.caches.back().capacity_bytes;
  return std::clamp(8 * last, kShortest, kLongest);
}

Links::Links(const Machine& machine, const Clock& clock, GatedTimer& timer, int samples)
    : clock_(clock),
      timer_(timer),
      samples_(samples),
      stream_bytes_(longest_stream(machine)),
      memory_(static_cast<std::size_t>((stream_bytes_ + kRegionBytes) / kFloatBytes)) {}

double Links::load_rate(const Machine& machine, std::int64_t bytes, double seconds) {
  const RegisterTile tile{.pixels = 1, .vectors = machine.vector.registers / 4};
  const Microkernel kernel = stream_kernel(tile, machine.vector);
  const ReductionRun run{.steps = bytes / row_bytes(tile.vectors, machine.vector),
                         .body = kernel.body(all_pixels(tile.pixels))};
  // The input, of which each step reads four bytes, lies in the memory of the weights, because its
  // values do not matter.
  return median_rate(bytes,
                     {.input = memory(),
                      .weights = memory(),
                      .output = memory() + stream_bytes_,
                      .runs = &run,
                      .count = 1},
                     kernel, 1, seconds);
}

// Networks read weights for about a fifth of their time. Other programs on a shared host fill the
// cache meanwhile, so reads with pauses show how much of the cache a network can use.
double Links::paced_load_rate(const Machine& machine, std::int64_t bytes) {
  constexpr double kParts = 5;
  constexpr std::int64_t kPiece = 2 << 20;
  const RegisterTile tile{.pixels = 1, .vectors = machine.vector.registers / 4};
  const Microkernel kernel = stream_kernel(tile, machine.vector);
  char* tiles = memory() + stream_bytes_;
  const auto read = [&](std::int64_t at, std::int64_t size) {
    const ReductionRun run{.steps = size / row_bytes(tile.vectors, machine.vector),
                           .body = kernel.body(all_pixels(tile.pixels))};
    TileGrid grid{
        .input = tiles, .weights = memory() + at, .output = tiles, .runs = &run, .count = 1};
    kernel.function()(&grid);
  };
  paced_seconds(bytes, kPiece, kParts, clock_, read);
  return static_cast<double>(bytes) / paced_seconds(bytes, kPiece, kParts, clock_, read);
}

double Links::store_rate(const Machine& machine, std::int64_t bytes, const Stores& stores) {
  const RegisterTile tile{.pixels = 4, .vectors = 2};
  const Microkernel kernel = stream_kernel(tile, machine.vector, {}, stores);
  const std::int64_t row = row_bytes(tile.vectors, machine.vector);
  TileGrid grid{.input = memory(), .weights = memory(), .output = memory()};
  if (stores.row_stride == 0) {
    grid.step.output = tile.pixels * row;
    grid.tiles = bytes / grid.step.output;
  } else {
    // Tiles of one column are stored in adjacent rows, `row_stride` bytes apart. Columns are `row`
    // bytes wide.
    grid.step.output = tile.pixels * stores.row_stride;
    grid.tiles = std::max<std::int64_t>(1, bytes / grid.step.output);
    grid.rows = stores.row_stride / row;
    grid.row_step.output = row - (grid.tiles - 1) * grid.step.output;
    bytes = grid.rows * grid.tiles * tile.pixels * row;
  }
  return median_rate(bytes, grid, kernel, samples_, kStreamSeconds);
}

// The fastest call is not typical, because Zen 5 sometimes reads from the second cache at twice its
// usual rate during a whole call.
double Links::median_rate(std::int64_t bytes, const TileGrid& row, const Microkernel& kernel,
                          int walks, double seconds) const {
  const auto walk = [&] {
    TileGrid copy = row;  // The kernel modifies its argument, so each call gets a copy.
    kernel.function()(&copy);
  };
  walk();
  std::vector<double> times;
  const double until = clock_() + seconds;
  for (int i = 0; i < walks || clock_() < until; ++i) {
    const double start = clock_();
    walk();
    times.push_back(clock_() - start);
  }
  return static_cast<double>(bytes) / median(times);
}

void Links::measure_bandwidths(Machine& machine) {
  fills_.resize(machine.caches.size());
  writes_.resize(machine.caches.size());
  conflicts_.resize(machine.caches.size());
  const CacheLevel& l1 = machine.caches.front();
  const std::int64_t way_bytes = l1.capacity_bytes / l1.ways;
  for (std::size_t level = 0; level < machine.caches.size(); ++level) {
    CacheLevel& cache = machine.caches[level];
    const bool from_memory = level + 1 == machine.caches.size();
    const std::int64_t bytes =
        from_memory ? stream_bytes_
                    : std::min(streaming_set(cache, machine.caches[level + 1]), stream_bytes_);
    fills_[level] = std::max(fills_[level], load_rate(machine, bytes, kStreamSeconds));
    writes_[level] = std::max(writes_[level], store_rate(machine, bytes, {}));
    // The working set is small, because many rows would measure the TLB instead of conflicts.
    conflicts_[level] = std::max(
        conflicts_[level],
        store_rate(machine, std::min(bytes, 2 * cache.capacity_bytes), {.row_stride = way_bytes}));
    if (from_memory)
      streamed_ = std::max(streamed_, store_rate(machine, bytes, {.streamed = true}));
    cache.fill_bytes_per_second = fills_[level];
    cache.write_bytes_per_second = writes_[level];
    cache.conflict_bytes_per_second = std::min(conflicts_[level], writes_[level]);
    cache.rate_source = "calibrate, working set " + std::to_string(bytes >> 10) +
                        " KiB, median walk of weights and of stored tiles, one core";
  }
  machine.rates.streamed_bytes_per_second = streamed_;
}

GatedTimer::Call Links::stream_call(const Machine& machine, RegisterTile tile, const Stream& stream,
                                    Reads reads) {
  // The rows of the input lie in different sets of the caches.
  constexpr std::int64_t kInputRow = (9 << 11) + 64;
  reads.row_stride = kInputRow;
  const auto kernel =
      std::make_shared<const Microkernel>(stream_kernel(tile, machine.vector, reads));
  const ReductionRun run{.steps = stream.steps, .body = kernel->body(all_pixels(tile.pixels))};
  const std::int64_t piece = stream.steps * row_bytes(tile.vectors, machine.vector);
  char* input = memory() + stream_bytes_;
  return [=, this, calls = std::int64_t{0}]() mutable {
    TileGrid grid{.input = input,
                  .weights = memory() + calls++ % stream.pieces * piece,
                  .output = input + kRegionBytes / 2,
                  .runs = &run,
                  .count = 1};
    kernel->function()(&grid);
  };
}

std::optional<std::vector<double>> Links::measure_stream_cycles(const Machine& machine,
                                                                RegisterTile tile,
                                                                const Stream& stream,
                                                                int prefetch) {
  return timer_.cycles({stream_call(machine, tile, stream, {.prefetch = prefetch})}, samples_);
}

double Links::cycles_per_step(const Machine& machine, RegisterTile tile, const Stream& stream,
                              int prefetch) {
  const auto cycles = measure_stream_cycles(machine, tile, stream, prefetch);
  return cycles ? cycles->front() / static_cast<double>(stream.steps) : HUGE_VAL;
}

// The distances are measured in turns, and the least time of each counts, because other programs
// mostly make a measurement longer.
int Links::fastest_distance(const Machine& machine, RegisterTile tile,
                            const std::vector<Stream>& streams) {
  // A longer distance is chosen only if it saves more than 1 % of the time.
  constexpr double kWorthIt = 0.99;
  constexpr int kRounds = 5;
  constexpr std::array kDistances{0, 4, 8, 16, 32, 64, 128};
  std::array<double, kDistances.size()> least{};
  for (const Stream& stream : streams) {
    std::array<double, kDistances.size()> of_stream{};
    of_stream.fill(HUGE_VAL);
    for (int round = 0; round < kRounds; ++round)
      for (std::size_t i = 0; i < kDistances.size(); ++i)
        of_stream[i] =
            std::min(of_stream[i], cycles_per_step(machine, tile, stream, kDistances[i]));
    for (std::size_t i = 0; i < kDistances.size(); ++i) least[i] += of_stream[i];
  }
  std::size_t chosen = 0;
  for (std::size_t i = 1; i < kDistances.size(); ++i)
    if (least[i] < kWorthIt * least[chosen]) chosen = i;
  return kDistances[chosen] * tile.vectors / 2;
}

// The cycles of the third level, if there is one, and of memory are added, because weights of
// networks come from both.
void Links::measure_prefetch(Machine& machine) {
  const auto held = [&](std::size_t level, int vectors) {
    return Stream{std::min(inside(machine.caches[level]), kOverlapBytes) /
                  row_bytes(vectors, machine.vector)};
  };
  const RegisterTile half = half_tile(machine.vector);
  std::vector<Stream> far{
      {kOverlapBytes / row_bytes(half.vectors, machine.vector), stream_bytes_ / kOverlapBytes}};
  if (machine.caches.size() > 2) far.push_back(held(2, half.vectors));
  machine.rates.prefetch_steps = fastest_distance(machine, half, far);
  RegisterTile wide{.pixels = 4, .vectors = 4};
  while (!fits_registers(wide, machine.vector)) --wide.vectors;
  machine.rates.near_prefetch_steps = fastest_distance(machine, wide, {held(1, wide.vectors)});
}

// Only the link into the first cache is measured, because other programs may use the other links.
void Links::measure_overlap(Machine& machine) {
  constexpr double kOverlapSeconds = 0.5;
  const std::int64_t row = row_bytes(2, machine.vector);
  const Stream weights{std::min(inside(machine.caches[1]), kOverlapBytes) / row};
  std::vector<KernelRate> rates;
  std::ranges::copy_if(
      machine.rates.kernels, std::back_inserter(rates),
      [](const KernelRate& rate) { return rate.vectors == 2 && rate.pixels % 2 == 0; });
  std::vector<OverlapPoint> points;
  const auto measure = [&](const KernelRate& rate) {
    return measure_stream_cycles(machine, {rate.pixels, 2}, weights, 0);
  };
  const auto take = [&](const KernelRate& rate, const std::vector<double>& cycles) {
    points.push_back(
        {.compute = rate.cycles_per_step / machine.clock.hertz,
         .transfer = static_cast<double>(row) / machine.caches.front().fill_bytes_per_second,
         .both = cycles.front() / static_cast<double>(weights.steps) / machine.clock.hertz});
  };
  const double end = clock_() + kOverlapSeconds;
  measure_until_agreed(rates, measure, take, [&] { return clock_() < end; });
  if (const std::optional<double> exponent = fit_overlap(points))
    machine.rates.overlap_exponent = *exponent;
  else
    machine.provenance.notes.push_back("overlap exponent assumed: no undisturbed sample tells it");
}

// Rows whose distance is the size of one way of the first cache all use the same few sets, and rows
// half as far apart use twice as many. The time of adjacent rows from the second cache is
// subtracted, because predictions count it as time of the link between these two caches.
void Links::measure_rows_in_place(Machine& machine) {
  constexpr int kRowsEarly = 8, kAttempts = 5;
  const CacheLevel& l1 = machine.caches[0];
  const std::int64_t way = l1.capacity_bytes / l1.ways;
  // The first cache keeps none of `few` rows, `many` rows lie in more pages of 4 KiB than the first
  // TLB has entries, and the second cache keeps none of `all` rows that are two ways apart, unless
  // a hash selects its sets. The least of all attempts counts, because other programs make single
  // medians longer.
  const std::int64_t few = std::int64_t{4} * l1.ways, many = 128, all = 512;
  const RegisterTile tile = half_tile(machine.vector);
  const auto adjacent = [&](std::int64_t rows) {
    const std::int64_t piece = rows * row_bytes(tile.vectors, machine.vector);
    const std::int64_t pieces = std::max<std::int64_t>(1, inside(machine.caches[1]) / piece);
    return stream_call(machine, tile, {rows, pieces}, {});
  };
  const auto in_place = [&](std::int64_t rows, std::int64_t apart, int prefetch) {
    return stream_call(machine, tile, {rows, 1}, {.prefetch = prefetch, .weight_stride = apart});
  };
  const std::vector<GatedTimer::Call> calls{adjacent(few),
                                            in_place(few, way / 2, 0),
                                            in_place(few, way / 2, kRowsEarly),
                                            in_place(few, way, 0),
                                            in_place(few, way, kRowsEarly),
                                            adjacent(many),
                                            in_place(many, way, 0),
                                            adjacent(all),
                                            in_place(all, 2 * way, 0),
                                            in_place(all, 2 * way, kRowsEarly)};
  std::vector<double> cycles;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto again = timer_.cycles(calls, samples_);
    if (!again) continue;
    if (cycles.empty()) cycles = *again;
    for (std::size_t i = 0; i < cycles.size(); ++i) cycles[i] = std::min(cycles[i], (*again)[i]);
  }
  if (cycles.empty()) {
    machine.provenance.notes.emplace_back(
        "cycles of rows in place assumed: all measurements were disturbed");
    return;
  }
  const auto more = [&](std::size_t longer, std::size_t shorter, std::int64_t rows) {
    return (cycles.at(longer) - cycles.at(shorter)) / static_cast<double>(rows);
  };
  RowsInPlace& rows = machine.rates.overheads.rows_in_place;
  rows.near = round_cycles(more(1, 0, few));
  rows.near_prefetched = round_cycles(more(2, 0, few));
  rows.crowded = round_cycles(more(3, 0, few));
  rows.crowded_prefetched = round_cycles(more(4, 0, few));
  rows.in_many_pages = round_cycles(more(6, 5, many) - rows.crowded);
  rows.evicted = round_cycles(more(8, 7, all) - rows.crowded - rows.in_many_pages);
  rows.evicted_prefetched = round_cycles(more(9, 7, all) - rows.crowded_prefetched);
}

std::vector<SweepPoint> Links::sweep(const Machine& machine, std::size_t level) {
  constexpr int kPasses = 2;  // A disturbance seldom spans both passes.
  constexpr double kPointSeconds = 0.002;
  const CacheLevel& cache = machine.caches[level];
  const CacheLevel* inner = level > 0 ? &machine.caches[level - 1] : nullptr;
  std::vector<SweepPoint> points;
  for (const std::int64_t bytes :
       sweep_sizes(first_sweep_bytes(inner, cache), cache.capacity_bytes))
    if (bytes <= stream_bytes_) points.push_back({.bytes = bytes, .seconds_per_byte = HUGE_VAL});
  const auto rate = [&](std::int64_t bytes) {
    return cache.shared_by_cores > 1 ? paced_load_rate(machine, bytes)
                                     : load_rate(machine, bytes, kPointSeconds);
  };
  for (int pass = 0; pass < kPasses; ++pass)
    for (SweepPoint& point : points)
      point.seconds_per_byte = std::min(point.seconds_per_byte, 1 / rate(point.bytes));
  return points;
}

void Links::measure_capacities(Machine& machine) {
  constexpr double kMostUsable = 1.1;  // Larger results are accidents of the replacement policy.
  for (std::size_t level = 0; level < machine.caches.size(); ++level) {
    CacheLevel& cache = machine.caches[level];
    const std::optional<double> half = halfway_bytes(sweep(machine, level));
    if (!half) {
      machine.provenance.notes.push_back(cache.name +
                                         " effective capacity assumed: the sweep of working " +
                                         "sets shows no single step");
      continue;
    }
    // The cache levels inside a victim cache hold other lines than this cache does, so the levels
    // together hold more data.
    const double most = cache.victim ? kMostUsable : 1;
    cache.usable = std::min(most, *half / static_cast<double>(cache.capacity_bytes));
    cache.rate_source += "; usable: working sets swept, half-way between the plateaus at " +
                         std::to_string(std::llround(*half / 1024)) + " KiB";
  }
}

}  // namespace tileplan
