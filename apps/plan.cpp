// SPDX-License-Identifier: Apache-2.0
// `tileplan plan` ranks schedules and, with --verify, measures the best of them.
#include <filesystem>
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "progress.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/network.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  std::string save;
};

void plan_problem(const Flags& flags) {
  const Options options = options_of(flags);
  const Problem problem = parse_problem(flags.problem);
  if (!flags.save.empty()) require_writable(flags.save);
  const Machine machine = machine_of(flags);
  if (options.verify > 0 && stderr_is_terminal())
    std::cerr << "planning, then measuring " << options.verify << " candidates for at most "
              << options.budget_seconds << " s ...\n";
  const Plan result = plan_with_flags(problem, machine, options, flags);
  print_machine_notes(result.machine);
  if (!flags.save.empty()) save_plan(result, flags.save);
  std::cout << (flags.json ? to_json(result) + '\n' : to_text(result, terminal_style()));
  if (!flags.save.empty()) print_written(flags.save);
}

/// Makes the folder, so that a wrong one is refused before the planning.
void require_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw Error("--save: " + folder + " is no folder and cannot be made one");
}

void plan_model(const Flags& flags) {
  if (!flags.save.empty()) require_folder(flags.save);
  const Machine machine = machine_of(flags);
  NetworkOptions options = network_options_of(flags);
  Progress progress("planning layers");
  options.progress = [&](int done, int all) {
    progress.show(static_cast<double>(done) / all,
                  "(" + std::to_string(done) + " of " + std::to_string(all) + ")");
  };
  const NetworkPlan network = plan_network(flags.problem, machine, options);
  progress.clear();
  print_machine_notes(machine);
  if (!flags.save.empty()) save_network(network, flags.save);
  std::cout << (flags.json ? to_json(network) + '\n' : to_text(network, terminal_style()));
  if (!flags.save.empty()) print_written(flags.save);
}

}  // namespace

void add_plan(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb =
      app.add_subcommand("plan", "Rank schedules of a problem; with --verify, measure the best.");
  add_problem(*verb, flags->problem,
              "The problem is a benchdnn descriptor, a layer name (resnet18-9), a matrix product "
              "(m128n256k512), a relation or MODEL.onnx.")
      ->required();
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--top", "--verify", "--budget", "--regime",
             "--records", "--no-records", "--certify", "--capacity", "--shape", "--json"});
  verb->add_option("--save", flags->save,
                   "Write the plan to this file, or the plans of a model to this folder.");
  verb->callback([flags] {
    require_no_shapes(*flags);
    require_used_measuring(*flags);
    is_model(flags->problem) ? plan_model(*flags) : plan_problem(*flags);
  });
}

}  // namespace tileplan
