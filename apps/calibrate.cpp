// SPDX-License-Identifier: Apache-2.0
// tileplan calibrate: measure this host and write its machine file.
#include "calibrate.h"

#include <iostream>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "verbs.h"

namespace tileplan {

namespace {

struct Flags {
  bool quick = false;
  bool json = false;
  std::string output;
};

void print_summary(const Machine& machine, const std::string& path) {
  constexpr double kGiga = 1e9, kFast = 0.95;
  int fast = 0;
  for (const KernelRate& rate : machine.kernels) {
    const double ideal = static_cast<double>(rate.pixels) * rate.vectors / machine.vector.fma_units;
    if (ideal >= kFast * rate.cycles_per_step) ++fast;
  }
  std::cout << machine.name << ": peak " << peak_flops(machine) / kGiga << " GFLOP/s, "
            << machine.kernels.size() << " microkernels, " << fast << " at 95 % of peak or more\n";
  for (const CacheLevel& cache : machine.caches)
    std::cout << "  " << cache.name << " filled at " << cache.fill_bytes_per_second / kGiga
              << " GB/s, written back at " << cache.write_bytes_per_second / kGiga << " GB/s\n";
  std::cout << "written to " << path << '\n';
}

}  // namespace

void add_calibrate(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb =
      app.add_subcommand("calibrate", "Measure microkernels and bandwidths of this host.");
  verb->add_flag("--quick", flags->quick, "about 3 seconds");
  verb->add_flag("--json", flags->json, "print the machine file as well");
  verb->add_option("-o,--output", flags->output, "where to write it (the user's cache folder)");
  verb->callback([flags, &status] {
    constexpr double kQuickSeconds = 3, kSeconds = 15;
    const CalibrateOptions options{.samples = flags->quick ? 5 : 15,
                                   .budget_seconds = flags->quick ? kQuickSeconds : kSeconds};
    const Machine machine = calibrate(detect_machine(), options);
    const std::string path = flags->output.empty() ? machine_cache_path() : flags->output;
    save_machine(machine, path);
    print_summary(machine, path);
    status = Status::good;
  });
}

}  // namespace tileplan
