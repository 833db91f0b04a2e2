// SPDX-License-Identifier: Apache-2.0
// `tileplan calibrate` measures this host and writes its machine file.
#include "tileplan/calibrate.h"

#include <filesystem>
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/progress.h"

namespace tileplan {
namespace {

struct CalibrateFlags : PlanFlags {
  bool quick = false;
  std::string output;
};

/// Returns the calibration of this host in the file at `path`, or nothing when there is none.
std::optional<Machine> previous_calibration(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    Machine machine = load_machine(path);
    if (!machine.rates.kernels.empty() && !host_mismatch(machine)) return machine;
    // An unreadable file is no error, because this calibration overwrites it.
  } catch (const Error&) {
  }
  return std::nullopt;
}

CalibrateOptions options_for(const CalibrateFlags& flags, ProgressLine& progress) {
  constexpr double kQuickSeconds = 2, kFullSeconds = 8;
  return {.full = !flags.quick,
          .budget_seconds = flags.quick ? kQuickSeconds : kFullSeconds,
          .progress = [&progress](double share) { progress.show(share); }};
}

void calibrate_host(const CalibrateFlags& flags) {
  const std::string path = flags.output.empty() ? machine_cache_path() : flags.output;
  // The measurements take long, so an output file that cannot be written is refused before them.
  // The default folder may not exist yet.
  std::error_code error;
  if (flags.output.empty())
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  require_writable(path);
  ProgressLine progress("calibrating");
  const Machine machine = calibrate(detect_machine(), options_for(flags, progress));
  progress.clear();
  const std::optional<Machine> previous = previous_calibration(path);
  save_machine(machine, path);
  std::cout << (flags.json ? to_json(machine)
                           : fitted(calibration_text(machine, previous), terminal_style()));
  (flags.json ? std::cerr : std::cout) << "wrote " << path << '\n';
}

}  // namespace

void add_calibrate(CLI::App& app) {
  auto flags = std::make_shared<CalibrateFlags>();
  CLI::App* verb =
      app.add_subcommand("calibrate", "Measure the microkernels and bandwidths of this host.");
  verb->add_flag("--quick", flags->quick,
                 "Measure for a few seconds, without the usable capacities of caches.");
  add_flags(*verb, *flags, {"--json"});
  verb->add_option("-o,--output", flags->output,
                   "Write the machine file here (default: the cache folder).");
  verb->callback([flags] { calibrate_host(*flags); });
}

}  // namespace tileplan
