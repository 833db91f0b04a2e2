// SPDX-License-Identifier: Apache-2.0
// `tileplan candidates` writes a ranked list of schedules for another tuner.
#include "tileplan/candidates.h"

#include <iostream>

#include "documents.h"
#include "flags.h"
#include "tileplan/file.h"

namespace tileplan {
namespace {

struct CandidatesFlags : PlanFlags {
  std::string format = "jsonl";
  std::string out;
};

void print_losses(const CandidateList& list, const WrittenCandidates& written,
                  const std::string& format) {
  const auto print = [&](const std::map<std::string, int>& counts, const char* what) {
    for (const auto& [reason, count] : counts)
      std::cerr << format << ": " << count << ' ' << what << ": " << reason << '\n';
  };
  print(list.refused, "schedules of the plan cannot be written, so the next ones are listed");
  print(written.skipped, "schedules were skipped");
  print(written.left_out, "schedules were written without this mark");
}

Status print_candidates(const CandidatesFlags& flags) {
  const CandidateFormat format = parse_candidate_format(flags.format);
  const Problem problem = parse_problem(flags.problem);
  if (!flags.out.empty()) require_writable(flags.out, {flags.machine});
  const Machine machine = machine_of(flags);
  print_machine_notes(machine);
  const CandidateList list = candidates(problem, machine, options_of(flags), format);
  const WrittenCandidates written = write_candidates(list, format);
  print_losses(list, written, flags.format);
  if (written.count == 0) {
    std::cerr << "tileplan: no candidate of " << name_of(problem) << " can be written as "
              << flags.format << '\n';
    return Status::no;
  }
  write_or_print(flags.out, written.text);
  if (!flags.out.empty()) print_written(flags.out);
  return Status::good;
}

}  // namespace

void add_candidates(CLI::App& app, Status& status) {
  auto flags = std::make_shared<CandidatesFlags>();
  CLI::App* verb =
      app.add_subcommand("candidates", "Write a ranked list of schedules for another tuner.");
  add_problem(*verb, flags->problem)->required();
  add_flags(
      *verb, *flags,
      {"--machine", "--threads", "--layout", "--weights", "--algorithm", "--max-error", "--top"});
  verb->add_option(
      "--format", flags->format,
      "Write jsonl, ttile, benchdnn, mlir, iree, inductor, xtc, zigzag, halide or metaschedule, "
      "which is also called tvm (default: jsonl).");
  verb->add_option("-o,--out", flags->out, "Write to this file instead of standard output.");
  verb->callback([flags, &status] { status = print_candidates(*flags); });
}

}  // namespace tileplan
