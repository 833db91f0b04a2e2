// SPDX-License-Identifier: Apache-2.0
// tileplan candidates: the pruned list for another tuner.
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "formats.h"
#include "verbs.h"

namespace tileplan {

namespace {

struct Flags : PlanFlags {
  std::string format = "jsonl";
  std::string out;
};

/// What the format could not say, on stderr.
void print_losses(const CandidateList& list, const WrittenCandidates& written,
                  const std::string& format) {
  for (const auto& [reason, count] : list.refused)
    std::cerr << format << ": " << count << " schedules gave way to others: " << reason << '\n';
  for (const auto& [reason, count] : written.skipped)
    std::cerr << format << ": skipped " << count << ": " << reason << '\n';
  for (const auto& [mark, count] : written.left_out)
    std::cerr << format << ": left out of " << count << ": " << mark << '\n';
}

Status print_candidates(const Flags& flags) {
  const Format format = parse_format(flags.format);
  const Problem problem = parse_problem(flags.problem);
  if (!flags.out.empty()) require_file_place(flags.out);
  const Machine machine = machine_of(flags);
  print_machine_notes(machine);
  const CandidateList list =
      candidate_list(problem, machine, options_of(flags), refusal_of(format, machine.vector.lanes));
  const WrittenCandidates written = write_candidates(list, format);
  print_losses(list, written, flags.format);
  if (written.count == 0) {
    std::cerr << "tileplan: no candidate of " << name_of(problem) << " can be written as "
              << flags.format << '\n';
    return Status::no;
  }
  if (flags.out.empty())
    std::cout << written.text;
  else
    write_file(flags.out, written.text);
  return Status::good;
}

}  // namespace

void add_candidates(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand("candidates", "The pruned list for another tuner.");
  add_problem(*verb, flags->problem)->required();
  add_planning_flags(*verb, *flags);
  verb->add_option("--top", flags->top, "candidates at most (10)");
  verb->add_option("--format", flags->format,
                   "jsonl, ttile, benchdnn, mlir, halide or metaschedule (jsonl)");
  verb->add_option("-o,--out", flags->out, "file instead of stdout");
  verb->callback([flags, &status] { status = print_candidates(*flags); });
}

}  // namespace tileplan
