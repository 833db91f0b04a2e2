// SPDX-License-Identifier: Apache-2.0
// `tileplan emit` writes the schedule that it chooses, a schedule that the user gives, or a whole
// network as C.
#include "tileplan/emit.h"

#include <filesystem>
#include <iostream>

#include "documents.h"
#include "emit_model.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/file.h"
#include "tileplan/plan.h"
#include "verbs.h"

namespace tileplan {
namespace {

struct EmitFlags : PlanFlags {
  std::string isa;
  std::string schedule;
  std::string file;
  /// Begins the names of the C functions. If it is empty, EmitOptions::name or, for a model, the
  /// name of its file is used instead.
  std::string name;
};

Schedule chosen_schedule(const EmitFlags& flags, const Problem& problem, const Machine& machine) {
  if (!flags.schedule.empty()) return parse_schedule(flags.schedule);
  const Plan chosen = plan(problem, machine, options_of(flags));
  return chosen.candidates.front().schedule;
}

/// Returns true when the element types may need strips (docs/concepts.md), whose length depends on
/// the dot-product instructions of the machine.
bool counts_strips(const Problem& problem) {
  const TensorTypes types = types_of(problem);
  return types != ElementType::f32 && types != ElementType::f64 && types != ElementType::s32;
}

std::string header_of(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".h").string();
}

/// Throws Error for flags of planning, because a schedule that is given needs no planning.
/// --machine is allowed where it decides the length of strips.
void refuse_planning_flags(const CLI::App& verb, const Problem& problem) {
  for (const std::string flag :
       {"--layout", "--weights", "--machine", "--threads", "--algorithm", "--max-error"})
    if (verb.count(flag) > 0 && !(flag == "--machine" && counts_strips(problem)))
      throw Error(std::string("emit: ") + flag +
                  " with a given schedule, which is not planned; must be left out");
}

/// Throws Error for a flag that does not apply to a whole model.
void require_model_flags(const CLI::App& verb) {
  for (const char* flag : {"--schedule", "--epilogue", "--layout", "--weights"})
    if (verb.count(flag) > 0)
      throw Error(std::string(flag) +
                  " with a model, whose layers have their own; must be left out");
}

Json emit_document(const EmitFlags& flags, const Problem& problem, const Schedule& schedule) {
  return Json{{"problem", to_string(problem)},
              {"isa", flags.isa},
              {"schedule", to_string(schedule)},
              {"layout", {{"in", to_string(schedule.in)}, {"out", to_string(schedule.out)}}},
              {"epilogue", flags.epilogue},
              {"file", flags.file},
              {"header", header_of(flags.file)}};
}

void check_files(const EmitFlags& flags) {
  if (flags.json && flags.file.empty())
    throw Error("--json: the C goes to standard output too; -o FILE must be given");
  if (flags.file.empty()) return;
  if (header_of(flags.file) == flags.file)
    throw Error("-o: '" + flags.file + "'; must not end in .h, which is the header beside it");
  for (const std::string& output : {flags.file, header_of(flags.file)})
    require_writable(output, {flags.machine});
}

void write_c(const EmitFlags& flags, const CLI::App& verb) {
  require_no_shapes(flags, {flags.problem});
  check_files(flags);
  const Target target = parse_target(flags.isa);
  const Problem problem = parse_problem(flags.problem);
  const bool is_planned = flags.schedule.empty();
  if (!is_planned) refuse_planning_flags(verb, problem);
  const bool needs_machine = is_planned || counts_strips(problem);
  const Machine machine = needs_machine ? machine_for(machine_of(flags), target) : Machine{};
  const EmittedC emitted = emit_c(problem, chosen_schedule(flags, problem, machine),
                                  {.target = target,
                                   .name = flags.name.empty() ? EmitOptions{}.name : flags.name,
                                   .epilogue = parse_epilogue(flags.epilogue),
                                   .dots = machine.vector.dots});
  for (const std::string& note : emitted.notes) print_note(note);
  if (flags.file.empty()) {
    std::cout << emitted.source;
    return;
  }
  write_file(flags.file, emitted.source);
  write_file(header_of(flags.file), emitted.header);
  if (flags.json) return print_json(emit_document(flags, problem, emitted.schedule));
  print_written(flags.file + " and " + header_of(flags.file) + ": " + to_string(emitted.schedule));
}

}  // namespace

void add_emit(CLI::App& app) {
  auto flags = std::make_shared<EmitFlags>();
  CLI::App* verb = app.add_subcommand("emit", "Write the chosen schedule, or a network, as C.");
  add_problem(*verb, flags->problem,
              "The problem is a benchdnn descriptor, a layer name (resnet18-9), a matrix product "
              "(m128n256k512), a relation or an ONNX model.")
      ->required();
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--weights", "--algorithm", "--max-error",
             "--epilogue", "--shape", "--json"});
  verb->add_option("--isa", flags->isa, "Emit code for scalar, avx2, avx512, avx512vl or neon.")
      ->required();
  verb->add_option("--schedule", flags->schedule, "Emit this schedule instead of planning.");
  verb->add_option(
      "--name", flags->name,
      "Start the names of the functions with this (default: tileplan, or the name of the "
      "model's file).");
  verb->add_option(
      "-o,--output", flags->file,
      "Write the C to this file, such as layer.c, and its header to layer.h beside it, instead of "
      "printing the C on standard output. The C and the packed weights of a model are written to "
      "this folder.");
  verb->callback([flags, verb] {
    if (!is_model(flags->problem)) return write_c(*flags, *verb);
    require_model_flags(*verb);
    emit_model(*flags, {flags->isa, flags->name, flags->file});
  });
}

}  // namespace tileplan
