// SPDX-License-Identifier: Apache-2.0
// This file describes the results of a calibration in a few lines.
#include <algorithm>
#include <cmath>

#include "tileplan/calibrate.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

constexpr double kGiga = 1e9, kPercent = 100;

/// Returns the cycles of a step at peak divided by the measured cycles.
double share_of_peak(const KernelRate& rate, const VectorUnit& unit) {
  return static_cast<double>(rate.pixels * rate.vectors) / unit.fma_units / rate.cycles_per_step;
}

std::string kernels_text(const Machine& machine) {
  constexpr double kFast = 0.95;
  const std::vector<KernelRate>& rates = machine.rates.kernels;
  const auto fast = std::ranges::count_if(
      rates, [&](const KernelRate& rate) { return share_of_peak(rate, machine.vector) >= kFast; });
  return machine.name + ": peak " + with_prefix(peak_flops(machine), "flop/s") + ", " +
         std::to_string(rates.size()) + " register tiles, of which " + std::to_string(fast) +
         " reach 95 % of peak\n";
}

std::string cache_text(const CacheLevel& cache) {
  return "  " + cache.name + " filled at " + fixed(cache.fill_bytes_per_second / kGiga, 1) +
         " GB/s, stored to at " + fixed(cache.write_bytes_per_second / kGiga, 1) +
         " GB/s and in one set at " + fixed(cache.conflict_bytes_per_second / kGiga, 1) +
         " GB/s, " + fixed(kPercent * cache.usable, 0) + " % usable" +
         (cache.hashed ? ", sets selected by a hash\n" : "\n");
}

/// Returns a text that tells for which share of the common register tiles the cycles per step of
/// both calibrations agree within 2 %, or an empty text if the calibrations have no tile in common.
std::string agreement_text(const Machine& machine, const Machine& previous) {
  constexpr double kTolerance = 0.02;
  int common = 0, close = 0;
  for (const KernelRate& rate : machine.rates.kernels)
    for (const KernelRate& other : previous.rates.kernels) {
      if (other.pixels != rate.pixels || other.vectors != rate.vectors) continue;
      ++common;
      if (std::abs(rate.cycles_per_step / other.cycles_per_step - 1) <= kTolerance) ++close;
    }
  if (common == 0) return "";
  return "  " + fixed(kPercent * close / common, 1) + " % of " + std::to_string(common) +
         " register tiles are within 2 % of the previous calibration (" +
         previous.provenance.calibrated + ")\n";
}

}  // namespace

std::string calibration_text(const Machine& machine, const std::optional<Machine>& previous) {
  std::string text = kernels_text(machine);
  for (const CacheLevel& cache : machine.caches) text += cache_text(cache);
  text += "  non-temporal stores at " + fixed(machine.rates.streamed_bytes_per_second / kGiga, 1) +
          " GB/s\n";
  if (machine.rates.joint_bytes_per_second > 0)
    text += "  all cores together load from memory at " +
            fixed(machine.rates.joint_bytes_per_second / kGiga, 1) + " GB/s\n";
  if (previous) text += agreement_text(machine, *previous);
  for (const std::string& note : machine.provenance.notes) text += "  note: " + note + '\n';
  return text;
}

}  // namespace tileplan
