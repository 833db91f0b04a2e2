// SPDX-License-Identifier: Apache-2.0
// `tileplan calibrate` measures this host and writes its machine file.
#include "calibrate.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <set>

#include "documents.h"
#include "family.h"
#include "files.h"
#include "flags.h"
#include "machine_json.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  bool quick = false;
  std::string output;
};

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

void print_kernels(const Machine& machine) {
  constexpr double kFast = 0.95;
  const std::vector<FormRate> rates = all_rates(machine);
  std::set<std::pair<int, int>> tiles;
  int fast = 0;
  for (const FormRate& rate : rates) {
    if (peak_share(rate, machine.vector) < kFast) continue;
    ++fast;
    tiles.emplace(tile_of(rate.form).pixels, tile_of(rate.form).vectors);
  }
  std::cout << machine.name << ": peak " << peak_flops(machine) / kGiga << " GFLOP/s, "
            << rates.size() << " microkernels, of which " << fast << " (in " << tiles.size()
            << " register tiles) reach 95 % of peak\n";
}

void print_classes(const Machine& machine) {
  constexpr std::size_t kShown = 5;
  std::vector<KernelClass> classes = fast_classes(machine.rates.family, machine.vector);
  std::ranges::stable_sort(classes, std::ranges::greater{},
                           [](const KernelClass& one) { return one.heights.size(); });
  std::cout
      << "  " << classes.size()
      << " classes of kernels reach 85 % of the best and differ in h alone; the largest are\n";
  for (std::size_t i = 0; i < std::min(kShown, classes.size()); ++i) {
    const KernelForm& form = classes[i].form;
    std::cout << "    w" << form.w << " k" << form.k << " r" << form.r << " s" << form.s << " c"
              << form.c << ", h";
    for (const int h : classes[i].heights) std::cout << ' ' << h;
    std::cout << '\n';
  }
}

void print_caches(const Machine& machine) {
  for (const CacheLevel& cache : machine.caches)
    std::cout << "  " << cache.name << " filled at " << cache.fill_bytes_per_second / kGiga
              << " GB/s, written back at " << cache.write_bytes_per_second / kGiga << " GB/s, "
              << kPercent * cache.usable << " % usable\n";
}

/// Returns the full calibration of this host that `path` holds, if there is one.
std::optional<Machine> previous_calibration(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    Machine machine = load_machine(path);
    if (!machine.rates.family.empty() && !host_mismatch(machine)) return machine;
  } catch (const Error&) {  // The file is about to be overwritten.
  }
  return std::nullopt;
}

void print_agreement(const Machine& machine, const Machine& previous) {
  const Agreement found = agreement(machine.rates.family, previous.rates.family);
  if (found.common == 0) return;
  std::cout << "  " << kPercent * found.close / found.common << " % of " << found.common
            << " microkernels are within 2 % of the previous calibration ("
            << previous.provenance.calibrated << ")\n";
}

void print_summary(const Machine& machine, const std::optional<Machine>& previous) {
  print_kernels(machine);
  if (!machine.rates.family.empty()) print_classes(machine);
  print_caches(machine);
  if (previous) print_agreement(machine, *previous);
  for (const std::string& note : machine.provenance.notes) std::cout << "  note: " << note << '\n';
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb =
      app.add_subcommand("calibrate", "Measure the microkernels and bandwidths of this host.");
  verb->add_flag("--quick", flags->quick,
                 "Measure register tiles and bandwidths only, for about 3 seconds.");
  add_flags(*verb, *flags, {"--json"});
  verb->add_option("-o,--output", flags->output,
                   "Write the machine file here (default: the cache folder).");
  verb->callback([flags] {
    constexpr CalibrateOptions kQuick{.samples = 5, .budget_seconds = 2};
    constexpr CalibrateOptions kFull{.full = true, .samples = 3, .budget_seconds = 25};
    const std::string path = flags->output.empty() ? machine_cache_path() : flags->output;
    require_replaceable(path);
    const auto start = std::chrono::steady_clock::now();
    const Machine machine = calibrate(detect_machine(), flags->quick ? kQuick : kFull);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    const std::optional<Machine> previous = previous_calibration(path);
    save_machine(machine, path);
    if (flags->json) {
      std::cout << to_json(machine);
      return;
    }
    print_summary(machine, previous);
    const auto kernels =
        static_cast<double>(machine.rates.kernels.size() + machine.rates.family.size());
    std::cout << "written to " << path << " after " << taken.count() << " s, "
              << kernels / taken.count() << " microkernels per second\n";
  });
}

}  // namespace tileplan
