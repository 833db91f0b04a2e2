// SPDX-License-Identifier: Apache-2.0
// The steps of a calibration, in the order in which one needs the other.
#include "calibrate.h"

#include <algorithm>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "calibrate_kernels.h"
#include "calibrate_links.h"
#include "family.h"
#include "microkernel.h"
#include "throughput.h"
#include "timer.h"

namespace tileplan {

namespace {

constexpr double kTrusted = 0.8;         // of the register tiles must have been measured
constexpr double kTrustedFamily = 0.95;  // of the family
constexpr double kTilesShare = 0.15;     // of the time, where the family needs the rest

double flops_per_cycle(const VectorUnit& unit) { return 2.0 * unit.lanes * unit.fma_units; }

/// One FMA unit or two, told apart by a chain of multiplications: its latency, unlike the
/// throughput of a loop, is the same beside a busy sibling.
int fma_units(const VectorUnit& unit, const Clock& clock) {
  constexpr double kPeakSeconds = 0.1;
  constexpr std::int64_t kTrips = 10000;
  constexpr double kTripCycles = 12;  // 32-bit imul: 3 cycles each since Haswell and Zen
  // flop rates below this many units per cycle come from a single one
  constexpr double kOneUnit = 1.5;
  const double peak = peak_flops_measured(unit.isa, unit.element, kPeakSeconds);
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

class Kernels {
 public:
  Kernels(Machine& machine, GatedTimer& timer, const CalibrateOptions& options, const Clock& clock)
      : machine_(machine), timer_(timer), options_(options), clock_(clock), start_(clock()) {}

  /// Of both units, half of the time each.
  void measure_tiles(char* memory) {
    const double share = options_.full ? kTilesShare : 1;
    if (machine_.narrow)
      machine_.narrow->kernels = tiles_of(machine_.narrow->vector, memory, share / 2);
    machine_.kernels = tiles_of(machine_.vector, memory, share);
  }

  void measure_family(char* memory) {
    machine_.family.clear();
    const std::vector<KernelForm> forms = kernel_family(machine_.vector);
    std::vector<Floor> floors(forms.size());
    const auto measure = [&](int i) {
      const KernelForm& form = forms[static_cast<std::size_t>(i)];
      const FormKernel kernel(form, machine_.vector);
      const auto cycles = visit(kernel, false, timer_, options_.samples, memory);
      Floor& floor = floors[static_cast<std::size_t>(i)];
      if (!cycles || !floor.add(*cycles)) return false;
      machine_.family.push_back(form_rate(form, kernel, floor.cycles()));
      return true;
    };
    note(
        measure_in_rounds(static_cast<int>(forms.size()), measure, [this] { return time_left(1); }),
        kTrustedFamily);
    std::sort(machine_.family.begin(), machine_.family.end(),
              [](const FormRate& a, const FormRate& b) { return a.form < b.form; });
  }

 private:
  /// Measured until `share` of the time is over.
  std::vector<KernelRate> tiles_of(const VectorUnit& unit, char* memory, double share) {
    std::vector<KernelRate> rates;
    note(tileplan::measure_tiles(register_tiles(unit),
                                 {.unit = unit,
                                  .timer = timer_,
                                  .samples = options_.samples,
                                  .memory = memory,
                                  .time_left = [this, share] { return time_left(share); }},
                                 [&](const KernelRate& rate) { rates.push_back(rate); }),
         kTrusted);
    std::sort(rates.begin(), rates.end(), [](const auto& a, const auto& b) {
      return std::pair(a.vectors, a.pixels) < std::pair(b.vectors, b.pixels);
    });
    return rates;
  }

  bool time_left(double share) const { return clock_() - start_ < share * options_.budget_seconds; }
  void note(const Rounds& rounds, double trusted) {
    for (std::string& text : trusted_notes(rounds, trusted))
      machine_.notes.push_back(std::move(text));
  }

  Machine& machine_;
  GatedTimer& timer_;
  const CalibrateOptions& options_;
  const Clock& clock_;
  double start_;
};

std::string when_and_how(const CalibrateOptions& options) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char date[16];
  std::strftime(date, sizeof date, "%Y-%m-%d", &utc);
  return std::string(options.full ? "full, " : "quick, ") + date + ", two agreeing medians of " +
         std::to_string(options.samples) + " gated samples per length";
}

}  // namespace

Machine calibrate(Machine machine, const CalibrateOptions& options) {
  const PinnedThread pinned;
  const Clock clock = steady_clock();
  machine.notes.clear();  // those of detection, which every detection finds again
  machine.vector.fma_units = fma_units(machine.vector, clock);
  if (machine.narrow && flops_per_cycle(machine.narrow->vector) < flops_per_cycle(machine.vector))
    machine.narrow.reset();
  GatedTimer timer(clock, make_probe(machine.vector.isa), flops_per_cycle(machine.vector));
  Links links(machine, clock, timer, options.samples);
  if (options.full) links.measure_bandwidths(machine);
  Kernels kernels(machine, timer, options, clock);
  kernels.measure_tiles(links.memory());
  if (options.full) kernels.measure_family(links.memory());
  machine.hertz = timer.hertz();
  links.measure_bandwidths(machine);
  if (machine.caches.size() > 1) links.measure_prefetch(machine);
  links.measure_overlap(machine);
  if (options.full) links.measure_capacities(machine);
  machine.calibrated = when_and_how(options);
  return machine;
}

}  // namespace tileplan
