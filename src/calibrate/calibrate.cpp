// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a calibration in the order of their dependencies.
#include "tileplan/calibrate.h"

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "calibrate_kernels.h"
#include "calibrate_links.h"
#include "family.h"
#include "tileplan/compare.h"
#include "timer.h"

namespace tileplan {
namespace {

/// At least this share of the register tiles and of the family must be measured.
constexpr double kTrusted = 0.8, kTrustedFamily = 0.95;
/// If the family is measured too, register tiles get this share of the time.
constexpr double kTilesShare = 0.15;

double flops_per_cycle(const VectorUnit& unit) { return 2.0 * unit.lanes * unit.fma_units; }

/// Returns 1 or 2. The clock cycle follows from the latency of integer multiplications, which a
/// second thread on the same core does not change.
int fma_units(const VectorUnit& unit, const Clock& clock) {
  constexpr double kPeakSeconds = 0.1;
  constexpr std::int64_t kTrips = 10000;
  constexpr double kTripCycles = 12;  // Each 32-bit imul takes 3 cycles since Haswell and Zen.
  constexpr double kOneUnit = 1.5;    // One unit does fewer multiply-adds per cycle than this.
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

std::vector<KernelRate> measure_sorted_tiles(const FormMeasuring& how,
                                             std::vector<std::string>& notes) {
  std::vector<KernelRate> rates;
  const auto take = [&](const KernelRate& rate) { rates.push_back(rate); };
  note_omissions(measure_tiles(register_tiles(how.unit), how, take), kTrusted, notes);
  std::ranges::sort(rates, {},
                    [](const auto& rate) { return std::pair(rate.vectors, rate.pixels); });
  return rates;
}

std::vector<FormRate> measure_family(const FormMeasuring& how, std::vector<std::string>& notes) {
  std::vector<FormRate> rates;
  const auto take = [&](const KernelForm& form, const std::vector<double>& cycles) {
    rates.push_back(form_rate(form, cycles));
  };
  note_omissions(measure_forms(kernel_family(how.unit), false, how, take), kTrustedFamily, notes);
  std::ranges::sort(rates, {}, &FormRate::form);
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

/// Reports the share of the expected time that is over, each percent once.
class ProgressReport {
 public:
  ProgressReport(const CalibrateOptions& options, const Clock& clock)
      : progress_(options.progress),
        clock_(clock),
        start_(clock()),
        expected_(options.budget_seconds + (options.full ? kFullLinks : kQuickLinks)) {}

  void update() {
    const double share = std::min(1.0, (clock_() - start_) / expected_);
    if (share >= reported_ + kStep) report(share);
  }

  void finish() { report(1); }

 private:
  static constexpr double kStep = 0.01;
  static constexpr double kQuickLinks = 1, kFullLinks = 3;  // Links take so many seconds.

  void report(double share) {
    reported_ = share;
    if (progress_) progress_(share);
  }

  const std::function<void(double)>& progress_;
  const Clock& clock_;
  double start_, expected_;
  double reported_ = 0;
};

/// Measures the rates of all microkernels, and of the family if `options` ask for it.
void measure_rates(Machine& machine, const CalibrateOptions& options, const Clock& clock,
                   const std::function<FormMeasuring(double end, const VectorUnit&)>& until) {
  const double start = clock();
  std::vector<std::string>& notes = machine.provenance.notes;
  const double share = options.full ? kTilesShare : 1;
  const auto end = [&](double part) { return start + part * options.budget_seconds; };
  if (machine.narrow)
    machine.narrow->kernels =
        measure_sorted_tiles(until(end(share / 2), machine.narrow->vector), notes);
  machine.rates.kernels = measure_sorted_tiles(until(end(share), machine.vector), notes);
  if (options.full) machine.rates.family = measure_family(until(end(1), machine.vector), notes);
}

}  // namespace

Machine calibrate(Machine machine, const CalibrateOptions& options) {
  const PinnedThread pinned;
  const Clock clock = steady_clock();
  ProgressReport progress(options, clock);
  machine.provenance.notes.clear();  // The notes of an earlier calibration are out of date.
  machine.vector.fma_units = fma_units(machine.vector, clock);
  if (machine.narrow && flops_per_cycle(machine.narrow->vector) < flops_per_cycle(machine.vector))
    machine.narrow.reset();
  GatedTimer timer(clock, make_probe(machine.vector.isa), flops_per_cycle(machine.vector));
  Links links(machine, clock, timer, options.samples);
  if (options.full) links.measure_bandwidths(machine);
  progress.update();
  const auto until = [&](double end, const VectorUnit& unit) -> FormMeasuring {
    const auto time_left = [&clock, &progress, end] {
      progress.update();
      return clock() < end;
    };
    return {unit, timer, options.samples, links.memory(), time_left};
  };
  measure_rates(machine, options, clock, until);
  machine.clock.hertz = timer.hertz();
  links.measure_bandwidths(machine);
  if (machine.caches.size() > 1) links.measure_prefetch(machine);
  links.measure_overlap(machine);
  if (options.full) links.measure_capacities(machine);
  machine.provenance.calibrated = when_and_how(options);
  progress.finish();
  return machine;
}

}  // namespace tileplan
