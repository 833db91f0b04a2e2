// SPDX-License-Identifier: Apache-2.0
// `tileplan emit` writes the chosen schedule, or a given one, as C.
#include <filesystem>
#include <iostream>

#include "documents.h"
#include "emit_c.h"
#include "flags.h"
#include "merge_dims.h"
#include "microkernel.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  std::string isa, schedule, file;
  std::string name = "tileplan";
};

/// Returns `machine` with the vectors of `target`, without rates that were measured with others.
Machine with_target(Machine machine, Target target) {
  const Isa isa = isa_of(target).value_or(Isa::avx2);  // Scalar code has its registers.
  if (machine.narrow && machine.narrow->vector.isa == isa)
    return with_narrow_unit(std::move(machine));
  machine.narrow.reset();
  if (machine.vector.isa == isa && target != Target::scalar) return machine;
  machine.rates.kernels.clear();
  machine.vector.isa = isa;
  machine.vector.lanes = lanes_of(target);
  machine.vector.registers = registers_of(isa);
  return machine;
}

Schedule chosen_schedule(const Flags& flags, const Problem& problem, Target target) {
  if (!flags.schedule.empty()) return parse_schedule(flags.schedule);
  const Machine machine = with_target(machine_of(flags), target);
  return plan(problem, machine, options_of(flags)).candidates.front().schedule;
}

/// Prints which marks of `schedule` the emitted C leaves out.
void note_marks_left_out(const Schedule& schedule, const Schedule& emitted) {
  if (schedule.nontemporal && !emitted.nontemporal)
    std::cerr << "note: the schedule has nt; the emitted C uses ordinary stores, because "
                 "streaming stores need aligned outputs\n";
  if (schedule.ahead && !emitted.ahead)
    std::cerr << "note: the schedule has ahead=" << *schedule.ahead
              << " over a transposed copy of the input; the emitted C reads the input in place and "
                 "does not prefetch it\n";
}

std::string header_of(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".h").string();
}

/// Throws Error for flags that a given schedule would ignore.
void refuse_planning_flags(const CLI::App& verb) {
  for (const char* flag : {"--layout", "--machine", "--threads"})
    if (verb.count(flag) > 0)
      throw Error(std::string("emit: ") + flag +
                  " with a given schedule, which is not planned; must be left out");
}

Json emit_document(const Flags& flags, const Problem& problem, const Schedule& schedule) {
  return Json{{"problem", to_string(problem)},
              {"isa", flags.isa},
              {"schedule", to_string(schedule)},
              {"layout", {{"in", to_string(schedule.in)}, {"out", to_string(schedule.out)}}},
              {"epilogue", flags.epilogue},
              {"file", flags.file},
              {"header", header_of(flags.file)}};
}

}  // namespace

void add_emit(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand("emit", "Write the chosen schedule as C.");
  add_problem(*verb, flags->problem)->required();
  add_flags(*verb, *flags, {"--machine", "--threads", "--layout", "--epilogue", "--json"});
  verb->add_option("--isa", flags->isa, "Emit code for scalar, avx2, avx512, avx512vl or neon.")
      ->required();
  verb->add_option("--schedule", flags->schedule, "Emit this schedule instead of planning.");
  verb->add_option("--name", flags->name,
                   "Start the names of the functions with this (default: tileplan).");
  verb->add_option(
      "-o,--output", flags->file,
      "Write FILE.c, and FILE.h beside it, instead of printing the C on standard output.");
  verb->callback([flags, verb] {
    if (!flags->schedule.empty()) refuse_planning_flags(*verb);
    if (flags->json && flags->file.empty())
      throw Error("--json: the C goes to standard output too; -o FILE must be given");
    if (!flags->file.empty() && header_of(flags->file) == flags->file)
      throw Error("-o: '" + flags->file + "'; must not end in .h, which is the header beside it");
    const Target target = parse_target(flags->isa);
    const Problem problem = parse_problem(flags->problem);
    const Schedule planned = chosen_schedule(*flags, problem, target);
    const Computation computation = computation_of(problem, planned);
    const Schedule schedule = as_emitted(computation, planned, target);
    const std::string text = emit_c(
        computation, schedule,
        {.target = target, .name = flags->name, .epilogue = parse_epilogue(flags->epilogue)});
    note_marks_left_out(planned, schedule);
    if (flags->file.empty()) {
      std::cout << text;
    } else {
      write_file(flags->file, text);
      write_file(header_of(flags->file), emit_c_header(text));
    }
    if (flags->json)
      print_json(emit_document(*flags, problem, schedule));
    else if (!flags->file.empty())
      std::cerr << "wrote " << flags->file << " and " << header_of(flags->file) << ": "
                << to_string(schedule) << '\n';
  });
}

}  // namespace tileplan
