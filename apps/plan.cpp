// SPDX-License-Identifier: Apache-2.0
// `tileplan plan` ranks schedules and, with --verify, measures the best of them.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/network.h"
#include "tileplan/progress.h"
#include "tileplan/request.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

struct PlanVerbFlags : PlanFlags {
  std::string save, requests;
};

void require_requests(const PlanVerbFlags& flags) {
  if (!flags.requests.empty())
    require_writable(flags.requests, {flags.save, flags.problem, flags.machine, flags.records});
}

void write_requests(const PlanVerbFlags& flags, const std::vector<MeasureRequest>& requests) {
  if (!flags.requests.empty()) write_file(flags.requests, to_json_lines(requests));
}

void plan_problem(const PlanVerbFlags& flags) {
  const Options options = options_of(flags);
  const Problem problem = parse_problem(flags.problem);
  if (!flags.save.empty()) require_writable(flags.save, {flags.machine, flags.records});
  require_requests(flags);
  const Machine machine = machine_of(flags);
  if (options.verify > 0 && stderr_is_terminal())
    std::cerr << "planning, then measuring " << options.verify << " candidates for at most "
              << options.budget_seconds << " s ...\n";
  const Plan result = plan_with_flags(problem, machine, options, flags);
  print_machine_notes(result.machine);
  if (!flags.save.empty()) save_plan(result, flags.save);
  write_requests(flags, requests_of(result));
  std::cout << (flags.json ? to_json(result) + '\n' : to_text(result, terminal_style()));
  for (const std::string& file : {flags.save, flags.requests})
    if (!file.empty()) print_written(file);
}

/// Creates the output folder before planning, which may take long, so that an unusable path is
/// refused early.
void require_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    throw Error("--save: " + folder + " is no folder and cannot be made one");
}

void plan_model(const PlanVerbFlags& flags) {
  if (!flags.save.empty()) require_folder(flags.save);
  require_requests(flags);
  const Machine machine = machine_of(flags);
  NetworkOptions options = network_options_of(flags);
  ProgressLine progress("planning layers");
  options.progress = progress.counter();
  const NetworkPlan network = plan_network(flags.problem, machine, options);
  progress.clear();
  print_machine_notes(machine);
  if (!flags.save.empty()) save_network(network, flags.save);
  std::vector<MeasureRequest> requests;
  for (const NetworkLayer& layer : network.layers)
    std::ranges::move(requests_of(layer.plan), std::back_inserter(requests));
  write_requests(flags, requests);
  std::cout << (flags.json ? to_json(network) + '\n' : to_text(network, terminal_style()));
  for (const std::string& file : {flags.save, flags.requests})
    if (!file.empty()) print_written(file);
}

}  // namespace

void add_plan(CLI::App& app) {
  auto flags = std::make_shared<PlanVerbFlags>();
  CLI::App* verb =
      app.add_subcommand("plan", "Rank schedules of a problem; with --verify, measure the best.");
  add_problem(*verb, flags->problem,
              "The problem is a benchdnn descriptor, a layer name (resnet18-9), a matrix product "
              "(m128n256k512), a relation or MODEL.onnx.")
      ->required();
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--weights", "--top", "--verify", "--budget",
             "--regime", "--records", "--no-records", "--certify", "--capacity", "--algorithm",
             "--variant", "--max-error", "--shape", "--json"});
  describe_regime_of_models(*verb);
  verb->add_option("--save", flags->save,
                   "Write the plan to this file, or the plans of a model to this folder.");
  verb->add_option("--requests", flags->requests,
                   "Write requests to measure the listed candidates to this file, for measure.");
  verb->callback([flags] {
    require_no_shapes(*flags, {flags->problem});
    require_used_measuring(*flags);
    is_model(flags->problem) ? plan_model(*flags) : plan_problem(*flags);
  });
}

}  // namespace tileplan
