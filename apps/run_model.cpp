// SPDX-License-Identifier: Apache-2.0
// This file plans a model or loads a saved network, checks, runs and measures it, and prints the
// results.
#include "run_model.h"

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "documents.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/network_run.h"
#include "tileplan/progress.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

NetworkPlan planned_model(const PlanFlags& flags) {
  const Machine machine = machine_of(flags);
  require_host(machine, "--machine");
  require_threads(flags.threads, machine);
  NetworkOptions options = network_options_of(flags);
  // For models, --budget limits the measurement of whole runs, so candidates of layers get the
  // default budget.
  options.plan.budget_seconds = Options{}.budget_seconds;
  ProgressLine progress("planning layers");
  options.progress = progress.counter();
  NetworkPlan network = plan_network(flags.problem, machine, options);
  progress.clear();
  print_machine_notes(machine);
  return network;
}

/// Returns the check with the largest ratio of its error to its tolerance.
const StepCheck& worst_of(const std::vector<StepCheck>& checks) {
  const auto share = [](const StepCheck& each) {
    return each.check.largest_error / std::max(each.check.tolerance, 1e-300);
  };
  return *std::ranges::max_element(checks, {}, share);
}

Json check_document(const std::vector<StepCheck>& checks) {
  Json list = Json::array();
  for (const StepCheck& each : checks)
    list.push_back({{"name", each.name},
                    {"kind", each.kind},
                    {"largest_error", each.check.largest_error},
                    {"tolerance", each.check.tolerance},
                    {"passed", each.check.passed()}});
  return list;
}

Json run_document(const NetworkPlan& plan, const std::optional<NetworkCheck>& check,
                  const std::optional<Measurement>& measured) {
  const auto number = [&](double value) { return measured ? Json(value) : Json(); };
  const Measurement times = measured.value_or(Measurement{});
  return {{"model", plan.name},
          {"machine", plan.machine.name},
          {"predicted_s", plan.layouts.seconds},
          {"bound_s", plan.layouts.bound},
          {"runner_up_s", plan.layouts.runner_up_seconds},
          {"conversions", plan.layouts.conversions},
          {"arena_bytes", plan.arena.bytes},
          {"least_arena_bytes", plan.arena.least_bytes},
          {"passed", !check || check->passed()},
          {"steps", check ? check_document(check->steps) : Json::array()},
          {"outputs", check ? check_document(check->outputs) : Json::array()},
          {"median_s", number(times.median_seconds)},
          {"low_s", number(times.low_seconds)},
          {"high_s", number(times.high_seconds)},
          {"kept", times.kept},
          {"samples", times.samples}};
}

std::string check_text(const char* what, const std::vector<StepCheck>& checks) {
  const StepCheck& worst = worst_of(checks);
  const auto failed =
      std::ranges::count_if(checks, [](const StepCheck& each) { return !each.check.passed(); });
  std::ostringstream text;
  text << std::setprecision(kErrorDigits) << "check of " << checks.size() << ' ' << what
       << (failed == 0 ? " passed" : " FAILED") << ": the largest error is "
       << worst.check.largest_error << " with tolerance " << worst.check.tolerance << ", in "
       << worst.name << " (" << worst.kind << ")\n";
  for (const StepCheck& each : checks)
    if (!each.check.passed())
      text << "FAILED: " << each.name << " (" << each.kind << "): " << mismatch_text(each.check)
           << '\n';
  return text.str();
}

std::string measured_text(const NetworkPlan& plan, const Measurement& measured) {
  const Options& options = plan.layers.front().plan.options;
  return "time " + format_seconds(measured.median_seconds) + " (predicted " +
         format_seconds(plan.layouts.seconds) + "), " + in_words(options.regime) + ", " +
         threads_text(options.threads) + ", " + std::to_string(measured.kept) + " of " +
         std::to_string(measured.samples) + " samples undisturbed\n";
}

/// Prints the results of a run. Loaded networks have no `check`, because loading compares their
/// outputs with those in the file.
void print_text(const NetworkPlan& plan, const std::optional<NetworkCheck>& check,
                const std::optional<Measurement>& measured) {
  const TextStyle style = terminal_style();
  std::string text = network_text(plan);
  if (!check) text += "The outputs equal those of the run when the network was saved.\n";
  if (check && !check->steps.empty()) text += check_text("steps", check->steps);
  if (check) text += check_text("outputs", check->outputs);
  if (measured) text += measured_text(plan, *measured);
  std::cout << coverage_text(plan, style) << fitted(text, style);
}

/// Holds the memory of an input or output of the network, with the type and the number of the
/// elements of its GraphValue.
struct Tensor {
  explicit Tensor(const GraphValue& value) : type(parse_types(value.type).input) {
    for (const std::int64_t extent : *value.shape) elements *= static_cast<std::size_t>(extent);
    memory.resize(elements * static_cast<std::size_t>(bytes_of(type)));
  }
  ElementType type;
  std::size_t elements = 1;
  std::vector<char> memory;
};

/// Returns the tensor of an input, read from the file that `files` names for this input.
Tensor input_from(const GraphValue& value, const ModelFiles& files) {
  const auto given = std::ranges::find_if(
      files.inputs, [&](const std::string& text) { return text.starts_with(value.name + "="); });
  if (given == files.inputs.end())
    throw Error("--input: the input " + value.name + " has no file; must be given as " +
                value.name + "=FILE");
  const std::string path = given->substr(value.name.size() + 1);
  const std::string bytes = read_file(path, "an input of the model");
  Tensor tensor(value);
  if (bytes.size() != tensor.memory.size())
    throw Error("--input: " + path + " has " + std::to_string(bytes.size()) + " bytes; must have " +
                std::to_string(tensor.memory.size()) + " for " + value.name);
  std::ranges::copy(bytes, tensor.memory.begin());
  return tensor;
}

/// Throws Error for a file that is given for no input of the network.
void require_known_inputs(const Graph& graph, const ModelFiles& files) {
  for (const std::string& text : files.inputs) {
    const auto is_named = [&](int input) {
      return text.starts_with(graph.values[static_cast<std::size_t>(input)].name + "=");
    };
    if (std::ranges::none_of(graph.inputs, is_named))
      throw Error("--input: '" + text + "' names no input of the network; must be NAME=FILE");
  }
}

/// Returns the name of the file for the output `name`, with the element type as its extension.
std::string file_name_of(std::string name, ElementType type) {
  for (char& c : name)
    if (c == '/' || c == '\\' || c == '\0') c = '_';
  return name + "." + to_string(type);
}

/// Makes the folder of --outputs, and returns the paths of the files for the outputs, or none
/// without --outputs. Throws Error when a file cannot be written or two different outputs have one
/// file.
std::vector<std::string> output_paths(const Graph& graph, const ModelFiles& files) {
  std::vector<std::string> paths;
  if (files.outputs.empty()) return paths;
  std::error_code error;  // A folder that cannot be made is reported with the first file.
  std::filesystem::create_directories(files.outputs, error);
  std::map<std::string, int> outputs;
  for (const int output : graph.outputs) {
    const GraphValue& value = graph.values[static_cast<std::size_t>(output)];
    std::string path =
        files.outputs + "/" + file_name_of(value.name, parse_types(value.type).input);
    require_writable(path);
    if (outputs.try_emplace(path, output).first->second != output)
      throw Error("--outputs: two outputs would be written to " + path +
                  "; their names must differ in other characters than / and \\");
    paths.push_back(std::move(path));
  }
  return paths;
}

/// Returns the inputs of the network that the user's files hold, or none without --input. Throws
/// Error when an input has no file, or a file is for no input or has another size than the input.
std::vector<Tensor> inputs_from(const Graph& graph, const ModelFiles& files) {
  require_known_inputs(graph, files);
  std::vector<Tensor> inputs;
  if (files.inputs.empty()) return inputs;
  for (const int input : graph.inputs)
    inputs.push_back(input_from(graph.values[static_cast<std::size_t>(input)], files));
  return inputs;
}

/// Runs the network once on `inputs` and writes the outputs to `paths`.
void run_on_files(const CompiledNetwork& network, const std::vector<Tensor>& inputs,
                  const std::vector<std::string>& paths) {
  const Graph& graph = *network.plan().rewritten;
  std::vector<Tensor> outputs;
  for (const int output : graph.outputs)
    outputs.emplace_back(graph.values[static_cast<std::size_t>(output)]);
  std::vector<ConstElements> in;
  std::vector<Elements> out;
  in.reserve(inputs.size());
  out.reserve(outputs.size());
  for (const Tensor& each : inputs) in.emplace_back(each.memory.data(), each.elements, each.type);
  for (Tensor& each : outputs) out.emplace_back(each.memory.data(), each.elements, each.type);
  Workspace workspace = network.make_workspace();
  network.run(in, out, workspace);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    write_file(paths[i], {outputs[i].memory.data(), outputs[i].memory.size()});
    print_written(paths[i]);
  }
}

}  // namespace

namespace {

void require_pairs(const ModelFiles& files) {
  if (files.inputs.empty() != files.outputs.empty())
    throw Error("--input and --outputs belong together; must both be given or left out");
}

}  // namespace

Status run_model(const PlanFlags& flags, const ModelFiles& files) {
  require_pairs(files);
  if (!files.save.empty()) require_writable(files.save, {flags.problem, flags.machine});
  const NetworkPlan plan = planned_model(flags);
  const std::vector<Tensor> inputs = inputs_from(*plan.rewritten, files);
  const std::vector<std::string> paths = output_paths(*plan.rewritten, files);
  const CompiledNetwork network = compile(plan);
  const NetworkCheck check = check_network(network, plan.layers.front().plan.options.seed);
  std::optional<Measurement> measured;
  if (check.passed()) measured = measure(network, flags.budget.value_or(kRunBudget));
  flags.json ? print_json(run_document(plan, check, measured)) : print_text(plan, check, measured);
  if (!paths.empty()) run_on_files(network, inputs, paths);
  if (!check.passed()) return Status::no;
  if (!files.save.empty()) {
    save_network(network, files.save);
    print_written(files.save);
  }
  return Status::good;
}

Status run_saved_network(const std::string& path, const PlanFlags& flags, const ModelFiles& files) {
  require_pairs(files);
  const CompiledNetwork network = load_network(path);
  const std::vector<Tensor> inputs = inputs_from(*network.plan().rewritten, files);
  const std::vector<std::string> paths = output_paths(*network.plan().rewritten, files);
  const Measurement measured = measure(network, flags.budget.value_or(kRunBudget));
  flags.json ? print_json(run_document(network.plan(), {}, measured))
             : print_text(network.plan(), {}, measured);
  if (!paths.empty()) run_on_files(network, inputs, paths);
  return Status::good;
}

}  // namespace tileplan
