// SPDX-License-Identifier: Apache-2.0
// tileplan plan: rank schedules; with --verify, measure the best and pick.
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "verbs.h"

namespace tileplan {

namespace {

struct Flags : PlanFlags {
  std::string save;
};

void print_text(const Plan& plan) {
  std::cout << name_of(plan.problem) << " on " << plan.machine.name << ", " << plan.options.threads
            << " thread, hot caches: " << plan.certificate.space << '\n'
            << plan_table(plan);
  std::cout << "planned in " << format_seconds(plan.plan_seconds);
  if (plan.options.verify > 0)
    std::cout << ", measured in " << format_seconds(plan.measure_seconds);
  std::cout << '\n';
  for (const Rejected& one : plan.rejected)
    std::cout << "rejected " << one.count << ": " << one.reason << '\n';
}

}  // namespace

void add_plan(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand("plan", "Rank schedules; with --verify, measure the best.");
  verb->add_option("problem", flags->problem, "descriptor, layer name, gemm or relation")
      ->required();
  add_common_flags(*verb, *flags);
  verb->add_option("--top", flags->top, "candidates to keep (10)");
  verb->add_option("--verify", flags->verify, "candidates to measure (0)");
  verb->add_option("--budget", flags->budget, "seconds for measuring (3)");
  verb->add_option("--certify", flags->certify, "classes that get a bound: best or full");
  verb->add_option("--save", flags->save, "write the plan to a file");
  verb->callback([flags, &status] {
    Options options = options_of(*flags);
    options.certify_full = flags->certify == "full";
    if (flags->certify != "best" && flags->certify != "full")
      throw Error("--certify: '" + flags->certify + "'; must be best or full");
    const Problem problem = parse_problem(flags->problem);
    const Machine machine = machine_of(*flags);
    if (options.verify > 0 && stderr_is_terminal())
      std::cerr << "planning, then measuring " << options.verify << " candidates for at most "
                << options.budget_seconds << " s ...\n";
    const Plan result = plan(problem, machine, options);
    print_machine_notes(result.machine);
    const std::string document = plan_document(result).dump(2) + "\n";
    if (!flags->save.empty()) write_file(flags->save, document);
    if (flags->json) {
      std::cout << document;
    } else {
      print_text(result);
    }
    status = result.candidates.empty() ? Status::no : Status::good;
  });
}

}  // namespace tileplan
