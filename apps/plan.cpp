// SPDX-License-Identifier: Apache-2.0
// tileplan plan: rank schedules; with --verify, measure the best and pick.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "model.h"
#include "planned.h"
#include "regime.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "verbs.h"

namespace tileplan {

namespace {

struct Flags : PlanFlags {
  std::string save;
};

/// Relative: a bound this close to what was found proves it.
constexpr double kProven = 1e-6;

std::size_t recalled(const Plan& plan) {
  return static_cast<std::size_t>(std::count_if(
      plan.candidates.begin(), plan.candidates.end(),
      [](const Candidate& one) { return one.measurement && !one.measurement->taken.empty(); }));
}

/// Recalled samples are of several rounds or of several days: they are sorted, not compared.
std::string verdict_text(const Plan& plan) {
  switch (plan.verdict) {
    case Verdict::decided:
      return "the first is faster than all others (95 % confidence)";
    case Verdict::tied:
      return "no other is more than 1 % faster than the first (95 % confidence)";
    case Verdict::undecided:
      return "undecided: budget or samples were used up before the first was told apart";
    case Verdict::unmeasured:
      break;
  }
  return recalled(plan) > 0 ? "sorted by what the records know, nothing compared again"
                            : "nothing measured";
}

void print_certificate(const Certificate& certificate) {
  std::cout << "certificate: best prediction " << format_seconds(certificate.optimum)
            << ", none below " << format_seconds(certificate.bound) << " (gap "
            << std::round(1e3 * certificate.gap) / 10 << " %); band model "
            << format_seconds(certificate.band.optimum) << ", with real tile sizes "
            << format_seconds(certificate.band.bound) << "; programs solved "
            << certificate.band.solved << ", pruned " << certificate.band.pruned << ", unsolved "
            << certificate.band.unsolved << '\n';
  for (const Divisibility& level : certificate.divisibility) {
    std::cout << "divisors: " << level.level << " moves " << level.divisors
              << " elements with tiles that divide, " << level.any << " with any";
    if (level.any_bound < (1 - kProven) * level.any)
      std::cout << " (search cut short, at least " << level.any_bound << ")";
    std::cout << '\n';
  }
}

void print_text(const Plan& plan) {
  std::cout << name_of(plan.problem) << " on " << plan.machine.name << ", "
            << threads_text(plan.options.threads) << ", " << in_words(plan.options.regime) << ": "
            << plan.certificate.space << '\n'
            << plan_table(plan);
  print_certificate(plan.certificate);
  std::cout << "planned in " << format_seconds(plan.plan_seconds);
  if (plan.options.verify > 0)
    std::cout << ", measured in " << format_seconds(plan.measure_seconds) << " (waited "
              << format_seconds(plan.waiting_seconds)
              << " for a quiet core): " << verdict_text(plan);
  std::cout << '\n';
  if (const std::size_t known = recalled(plan); known > 0)
    std::cout << known << " known from the records, not measured again (--no-records measures)\n";
  if (plan.options.verify > 0 && plan.options.regime != Regime::hot)
    std::cout << "predicted for hot caches, measured with " << in_words(plan.options.regime)
              << '\n';
  for (const Rejected& one : plan.rejected)
    std::cout << "rejected " << one.count << ": " << one.reason << '\n';
}

Status plan_problem(const Flags& flags) {
  const Options options = options_of(flags);
  const Problem problem = parse_problem(flags.problem);
  if (!flags.save.empty()) require_file_place(flags.save);
  if (options.verify > 0) require_memory(computation_of(problem));
  const Machine machine = machine_of(flags);
  if (options.verify > 0 && stderr_is_terminal())
    std::cerr << "planning, then measuring " << options.verify << " candidates for at most "
              << options.budget_seconds << " s ...\n";
  const Plan result = planned(problem, machine, options, flags);
  print_machine_notes(result.machine);
  if (!flags.save.empty()) save_plan(result, flags.save);
  if (flags.json)
    std::cout << plan_document(result).dump(2) << '\n';
  else
    print_text(result);
  return Status::good;
}

}  // namespace

void add_plan(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand("plan", "Rank schedules; with --verify, measure the best.");
  add_problem(*verb, flags->problem)->required();
  add_common_flags(*verb, *flags);
  verb->add_option("--top", flags->top, "candidates to keep (10)");
  verb->add_option("--verify", flags->verify, "candidates to measure (0)");
  verb->add_option("--budget", flags->budget, "seconds for measuring (3)");
  verb->add_option("--certify", flags->certify, "classes that get a bound: best or full");
  verb->add_option("--records", flags->records, "database of measurements (in the cache folder)");
  verb->add_flag("--no-records", flags->no_records, "measure all, remember nothing");
  verb->add_option("--capacity", flags->capacity,
                   "what must fit in a cache: ideal, lru2 or ways (lru2)");
  verb->add_option("--save", flags->save, "write the plan to a file");
  verb->add_option("--shape", flags->shapes, "of a model's input, e.g. input=1x3x224x224");
  verb->callback([flags, &status] {
    require_no_shapes(*flags);
    require_used_measuring(*flags);
    status = is_model(flags->problem) ? plan_model(*flags, flags->save) : plan_problem(*flags);
  });
}

}  // namespace tileplan
