// SPDX-License-Identifier: Apache-2.0
// `tileplan calibrate` measures this host and writes its machine file.
#include "tileplan/calibrate.h"

#include <filesystem>
#include <iostream>

#include "flags.h"
#include "progress.h"
#include "tileplan/error.h"
#include "tileplan/file.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  bool quick = false;
  std::string output;
};

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

CalibrateOptions options_for(const Flags& flags, Progress& progress) {
  constexpr int kQuickSamples = 5, kFullSamples = 3;
  constexpr double kQuickSeconds = 2, kFullSeconds = 25;
  return {.full = !flags.quick,
          .samples = flags.quick ? kQuickSamples : kFullSamples,
          .budget_seconds = flags.quick ? kQuickSeconds : kFullSeconds,
          .progress = [&progress](double share) { progress.show(share); }};
}

void calibrate_host(const Flags& flags) {
  const std::string path = flags.output.empty() ? machine_cache_path() : flags.output;
  if (!flags.output.empty()) require_writable(path);
  Progress progress("calibrating");
  const Machine machine = calibrate(detect_machine(), options_for(flags, progress));
  progress.clear();
  const std::optional<Machine> previous = previous_calibration(path);
  save_machine(machine, path);
  std::cout << (flags.json ? to_json(machine) : calibration_text(machine, previous));
  (flags.json ? std::cerr : std::cout) << "wrote " << path << '\n';
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
  verb->callback([flags] { calibrate_host(*flags); });
}

}  // namespace tileplan
