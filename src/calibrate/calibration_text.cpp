// SPDX-License-Identifier: Apache-2.0
// This file prints what a calibration measured.
#include <algorithm>
#include <set>

#include "family.h"
#include "tileplan/calibrate.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

constexpr double kGiga = 1e9, kPercent = 100;

/// Returns all measured kernels as forms, where register tiles are rows of pixels.
std::vector<FormRate> all_rates(const Machine& machine) {
  std::vector<FormRate> rates = machine.rates.family;
  for (const KernelRate& rate : machine.rates.kernels)
    rates.push_back({.form = {.w = rate.pixels, .k = rate.vectors},
                     .cycles_per_step = rate.cycles_per_step,
                     .cycles_per_call = rate.cycles_per_call});
  return rates;
}

std::string kernels_text(const Machine& machine) {
  constexpr double kFast = 0.95;
  const std::vector<FormRate> rates = all_rates(machine);
  std::set<std::pair<int, int>> tiles;
  int fast = 0;
  for (const FormRate& rate : rates) {
    if (peak_share(rate, machine.vector) < kFast) continue;
    ++fast;
    tiles.emplace(tile_of(rate.form).pixels, tile_of(rate.form).vectors);
  }
  return machine.name + ": peak " + fixed(peak_flops(machine) / kGiga, 1) + " GFLOP/s, " +
         std::to_string(rates.size()) + " microkernels, of which " + std::to_string(fast) +
         " (in " + std::to_string(tiles.size()) + " register tiles) reach 95 % of peak\n";
}

std::string form_text(const KernelForm& form) {
  std::string text;
  for (const auto& [name, size] :
       {std::pair("w", form.w), std::pair(" k", form.k), std::pair(" r", form.r),
        std::pair(" s", form.s), std::pair(" c", form.c)})
    text += name + std::to_string(size);
  return text;
}

std::string classes_text(const Machine& machine) {
  constexpr std::size_t kShown = 5;
  std::vector<KernelClass> classes = fast_classes(machine.rates.family, machine.vector);
  std::ranges::stable_sort(classes, std::ranges::greater{},
                           [](const KernelClass& one) { return one.heights.size(); });
  std::string text =
      "  " + std::to_string(classes.size()) +
      " classes of kernels reach 85 % of the best and differ in h alone; the largest are\n";
  for (std::size_t i = 0; i < std::min(kShown, classes.size()); ++i) {
    text += "    " + form_text(classes[i].form) + ", h";
    for (const int h : classes[i].heights) text += ' ' + std::to_string(h);
    text += '\n';
  }
  return text;
}

std::string cache_text(const CacheLevel& cache) {
  return "  " + cache.name + " filled at " + fixed(cache.fill_bytes_per_second / kGiga, 1) +
         " GB/s, written back at " + fixed(cache.write_bytes_per_second / kGiga, 1) + " GB/s, " +
         fixed(kPercent * cache.usable, 0) + " % usable\n";
}

std::string agreement_text(const Machine& machine, const Machine& previous) {
  const Agreement found = agreement(machine.rates.family, previous.rates.family);
  if (found.common == 0) return "";
  return "  " + fixed(kPercent * found.close / found.common, 1) + " % of " +
         std::to_string(found.common) +
         " microkernels are within 2 % of the previous calibration (" +
         previous.provenance.calibrated + ")\n";
}

}  // namespace

std::string calibration_text(const Machine& machine, const std::optional<Machine>& previous) {
  std::string text = kernels_text(machine);
  if (!machine.rates.family.empty()) text += classes_text(machine);
  for (const CacheLevel& cache : machine.caches) text += cache_text(cache);
  if (previous) text += agreement_text(machine, *previous);
  for (const std::string& note : machine.provenance.notes) text += "  note: " + note + '\n';
  return text;
}

}  // namespace tileplan
