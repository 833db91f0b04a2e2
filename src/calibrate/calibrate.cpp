// SPDX-License-Identifier: Apache-2.0
// This file runs the steps of a calibration in the order of their dependencies.
#include "tileplan/calibrate.h"

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "calibrate_kernels.h"
#include "calibrate_links.h"
#include "hashed_sets.h"
#include "joint_bandwidth.h"
#include "runner.h"
#include "tileplan/compare.h"
#include "tileplan/error.h"
#include "timer.h"
#include "transform_cycles.h"

namespace tileplan {
namespace {

/// A calibration must measure at least this share of the register tiles of f32.
constexpr double kTrusted = 0.8;

/// After this many seconds, no further measurement of transforms of Winograd tiles begins.
constexpr double kTransformSeconds = 1.5;
/// The microkernels of f32 get this share of the budget, and all others share the rest.
constexpr double kShareOfFloats = 0.5;

double flops_per_cycle(const VectorUnit& unit) { return 2.0 * unit.lanes * unit.fma_units; }

/// Returns the number of FMA units, 1 or 2, which follows from the measured peak in multiply-adds
/// of whole vectors per clock cycle. The length of a cycle is found from the latency of integer
/// multiplications, which a second thread on the same core does not change.
int fma_units(const VectorUnit& unit, const Clock& clock) {
  constexpr double kPeakSeconds = 0.1;
  constexpr std::int64_t kTrips = 10000;
  constexpr double kTripCycles = 12;  // Each 32-bit imul takes 3 cycles since Haswell and Zen.
  // A core with one unit does fewer multiply-adds of vectors per cycle than this.
  constexpr double kOneUnit = 1.5;
  const double peak = measure_peak_flops(unit.isa, unit.element, kPeakSeconds);
  double shortest = 1;
  for (int i = 0; i < 20; ++i) {
    std::int64_t trips = kTrips;
    const double start = clock();
    asm volatile(
        "1: imul %%eax, %%eax\n imul %%eax, %%eax\n imul %%eax, %%eax\n imul %%eax, %%eax\n"
        " dec %0\n jnz 1b"
        : "+r"(trips)
        :
        : "eax", "cc");
    shortest = std::min(shortest, clock() - start);
  }
  const double cycle = shortest / kTrips / kTripCycles;
  return peak * cycle / (2.0 * unit.lanes) < kOneUnit ? 1 : 2;
}

std::vector<KernelRate> measure_sorted_tiles(const TileMeasuring& how,
                                             std::vector<std::string>& notes) {
  std::vector<KernelRate> rates;
  const auto take = [&](const KernelRate& rate) { rates.push_back(rate); };
  note_omissions(measure_tiles(register_tiles(how.unit), how, take), kTrusted, notes);
  std::ranges::sort(rates, {},
                    [](const auto& rate) { return std::pair(rate.vectors, rate.pixels); });
  return rates;
}

std::string when_and_how(const CalibrateOptions& options) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", &utc);
  return std::string(options.full ? "full, " : "quick, ") + date + ", two agreeing medians of " +
         std::to_string(options.samples) + " gated samples per length";
}

/// Reports which share of the expected time has passed, once per percent.
class ProgressReport {
 public:
  ProgressReport(const CalibrateOptions& options, const Clock& clock)
      : progress_(options.progress),
        clock_(clock),
        start_(clock()),
        expected_(options.budget_seconds + kTransformSeconds +
                  (options.full ? kFullLinks : kQuickLinks)) {}

  void update() {
    const double share = std::min(1.0, (clock_() - start_) / expected_);
    if (share >= reported_ + kStep) report(share);
  }

  void finish() { report(1); }

 private:
  static constexpr double kStep = 0.01;
  // Measuring the links between caches takes this many seconds.
  static constexpr double kQuickLinks = 1, kFullLinks = 3;

  void report(double share) {
    reported_ = share;
    if (progress_) progress_(share);
  }

  const std::function<void(double)>& progress_;
  const Clock& clock_;
  double start_, expected_;
  double reported_ = 0;
};

/// Measures the transforms of Winograd tiles. The cost model derives the rates of tiles that were
/// not measured. With fewer than two caches, no transform gets a rate.
void measure_winograd(Machine& machine, const CalibrateOptions& options, const Clock& clock,
                      GatedTimer& timer, ProgressReport& progress) {
  machine.rates.transforms.clear();
  if (machine.caches.size() < 2) return;
  const double end = clock() + kTransformSeconds;
  const auto time_left = [&] {
    progress.update();
    return clock() < end;
  };
  const RoundCounts rounds = measure_transforms(machine, timer, options.samples, time_left);
  std::ranges::sort(machine.rates.transforms, {},
                    [](const auto& rate) { return std::pair(rate.taps, rate.outputs); });
  if (rounds.missing > 0)
    machine.provenance.notes.push_back(
        std::to_string(rounds.missing) +
        " transforms of Winograd tiles were never undisturbed in time and have no measured rate");
}

using MeasureUntil = std::function<TileMeasuring(double end, const VectorUnit&)>;

/// Measures the rates of the register tiles in f32. If the machine also has narrow vectors, they
/// get half of the time.
void measure_rates(Machine& machine, double budget, const Clock& clock, const MeasureUntil& until) {
  const double start = clock();
  std::vector<std::string>& notes = machine.provenance.notes;
  if (machine.narrow)
    machine.narrow->kernels =
        measure_sorted_tiles(until(start + budget / 2, machine.narrow->vector), notes);
  machine.rates.kernels = measure_sorted_tiles(until(start + budget, machine.vector), notes);
}

/// Returns element types for each kind of arithmetic of `unit`, which has AMX tiles.
std::vector<TensorTypes> types_of_tiles(const VectorUnit& unit) {
  using enum ElementType;
  std::vector<TensorTypes> all;
  if (unit.dots.bf16) all.emplace_back(bf16, bf16, f32);
  if (unit.dots.integers) all.emplace_back(u8, s8, s32);
  return all;
}

/// Returns element types for each kind of arithmetic of `unit` except fma and widened_fma, which
/// use the rates of f32.
std::vector<TensorTypes> types_to_measure(const VectorUnit& unit) {
  using enum ElementType;
  std::vector<TensorTypes> all{TensorTypes(s16, s16, s32), s32};
  if (unit.dots.bf16) all.emplace_back(bf16, bf16, f32);
  if (unit.dots.integers) all.emplace_back(u8, s8, s32);
  return all;
}

/// Measures the peak and the rates of the register tiles of `unit`, which is adapted to `types`. A
/// tile gets no rate if no two of its results agreed before the time was over.
ArithmeticRates measure_arithmetic(const Machine& machine, const VectorUnit& unit,
                                   const TensorTypes& types, const TileMeasuring& how) {
  constexpr double kPeakSeconds = 0.02;
  ArithmeticRates rates{.arithmetic = unit.arithmetic};
  rates.steps_per_cycle = measure_peak_flops(unit.isa, types, kPeakSeconds) /
                          measure_peak_flops(machine.vector.isa, {}, kPeakSeconds) *
                          machine.vector.fma_units / products_per_lane(unit.arithmetic);
  measure_tiles(register_tiles(unit), how,
                [&](const KernelRate& rate) { rates.kernels.push_back(rate); });
  std::ranges::sort(rates.kernels, {},
                    [](const auto& rate) { return std::pair(rate.vectors, rate.pixels); });
  return rates;
}

/// Measures the rates of integers and of dot products of bf16, in vectors and in AMX tiles.
void measure_others(Machine& machine, double budget, const Clock& clock,
                    const MeasureUntil& until) {
  machine.rates.others.clear();
  const std::vector<TensorTypes> in_vectors = types_to_measure(machine.vector);
  const std::vector<TensorTypes> in_tiles =
      machine.tiles ? types_of_tiles(*machine.tiles) : std::vector<TensorTypes>{};
  const double each = budget / static_cast<double>(in_vectors.size() + in_tiles.size());
  const auto measure = [&](const VectorUnit& unit, const TensorTypes& types) {
    machine.rates.others.push_back(
        measure_arithmetic(machine, unit, types, until(clock() + each, unit)));
  };
  for (const TensorTypes& types : in_vectors) measure(machine_for(machine, types).vector, types);
  for (const TensorTypes& types : in_tiles) measure(*machine_for(machine, types).tiles, types);
}

}  // namespace

Machine calibrate(Machine machine, const CalibrateOptions& options) {
  require_budget(options.budget_seconds);
  if (options.samples < 1)
    throw Error("samples: " + std::to_string(options.samples) + "; must be at least 1");
  machine.rates.joint_bytes_per_second = joint_load_rate(machine, longest_stream(machine));
  const PinnedThread pinned;
  const Clock clock = steady_clock();
  ProgressReport progress(options, clock);
  // The notes of an earlier calibration no longer apply.
  machine.provenance.notes.clear();
  machine.provenance.refusal.clear();
  machine.vector.fma_units = fma_units(machine.vector, clock);
  if (machine.narrow && flops_per_cycle(machine.narrow->vector) < flops_per_cycle(machine.vector))
    machine.narrow.reset();
  GatedTimer timer(clock, make_probe(machine.vector.isa), flops_per_cycle(machine.vector));
  Links links(machine, clock, timer, options.samples);
  if (options.full) links.measure_bandwidths(machine);
  progress.update();
  const auto until = [&](double end, const VectorUnit& unit) -> TileMeasuring {
    const auto time_left = [&clock, &progress, end] {
      progress.update();
      return clock() < end;
    };
    return {unit, timer, options.samples, links.memory(), time_left};
  };
  measure_rates(machine, kShareOfFloats * options.budget_seconds, clock, until);
  measure_others(machine, (1 - kShareOfFloats) * options.budget_seconds, clock, until);
  measure_winograd(machine, options, clock, timer, progress);
  machine.clock.hertz = timer.hertz();
  links.measure_bandwidths(machine);
  if (machine.caches.size() > 1) {
    machine.caches[1].hashed = has_hashed_sets(machine.caches[1], clock);
    machine.caches[1].rate_source += "; chains of loads tell whether a hash selects sets";
    links.measure_prefetch(machine);
    links.measure_overlap(machine);
    links.measure_rows_in_place(machine);
  }
  if (options.full) links.measure_capacities(machine);
  machine.provenance.calibrated = when_and_how(options);
  machine.provenance.protocol = kProtocol;
  progress.finish();
  return machine;
}

}  // namespace tileplan
