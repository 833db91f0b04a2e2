// SPDX-License-Identifier: Apache-2.0
// All texts are computed before the first file is written, so that a network that cannot be written
// as C leaves no incomplete folder.
#include "emit_model.h"

#include <cctype>
#include <filesystem>
#include <iostream>

#include "documents.h"
#include "tileplan/emit.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/progress.h"

namespace tileplan {
namespace {

namespace fs = std::filesystem;

/// Returns the name of the file at `path` without its extension, changed to an identifier of C.
std::string identifier_of(const std::string& path) {
  std::string name = fs::path(path).stem().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0
             ? "network_" + name
             : name;
}

void require_output_folder(const std::string& folder) {
  if (folder.empty()) throw Error("emit: a model becomes several files; -o FOLDER must be given");
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error))
    throw Error("-o: '" + folder + "' is no folder; must be one, or not be there");
}

NetworkPlan planned_model(const PlanFlags& flags, Target target) {
  NetworkOptions options = network_options_of(flags);
  // Plans for emitted C use predictions only, because the C may run on another machine.
  options.use_records = false;
  ProgressLine progress("planning layers");
  options.progress = progress.counter();
  NetworkPlan plan = plan_network(flags.problem, machine_for(machine_of(flags), target), options);
  progress.clear();
  return plan;
}

Json model_document(const NetworkPlan& plan, const EmitModelFlags& flags,
                    const EmittedNetwork& emitted) {
  Json files = Json::array();
  for (const EmittedFile& each : emitted.files)
    files.push_back({{"file", each.name}, {"bytes", each.content.size()}});
  return {{"model", plan.name},
          {"isa", flags.isa},
          {"folder", flags.folder},
          {"arena_bytes", plan.arena.bytes},
          {"files", files}};
}

}  // namespace

void emit_model(const PlanFlags& plan_flags, const EmitModelFlags& flags) {
  require_output_folder(flags.folder);
  const Target target = parse_target(flags.isa);
  const NetworkPlan plan = planned_model(plan_flags, target);
  const EmittedNetwork emitted = emit_network(
      plan, target, flags.name.empty() ? identifier_of(plan_flags.problem) : flags.name);
  for (const std::string& note : emitted.notes) print_note(note);
  std::error_code error;
  fs::create_directories(flags.folder, error);
  double bytes = 0;
  for (const EmittedFile& each : emitted.files) {
    write_file((fs::path(flags.folder) / each.name).string(), each.content);
    bytes += static_cast<double>(each.content.size());
  }
  if (plan_flags.json) return print_json(model_document(plan, flags, emitted));
  print_written(std::to_string(emitted.files.size()) + " files of " + with_prefix(bytes, "B") +
                " to " + flags.folder + ": " + std::to_string(plan.steps.size()) + " steps, " +
                std::to_string(plan.layers.size()) + " distinct layers");
}

}  // namespace tileplan
