// SPDX-License-Identifier: Apache-2.0
// `tileplan plan` ranks schedules and, with --verify, measures the best of them.
#include <algorithm>
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "network.h"
#include "regime.h"
#include "tensor_memory.h"
#include "tileplan/error.h"

namespace tileplan {
namespace {

struct Flags : PlanFlags {
  std::string save;
};

/// A bound proves the best schedule when their relative distance is smaller.
constexpr double kProven = 1e-6;

std::size_t count_recalled(const Plan& plan) {
  return static_cast<std::size_t>(std::ranges::count_if(
      plan.candidates, [](const auto& measured) { return measured && !measured->taken.empty(); },
      &Candidate::measurement));
}

/// Recalled samples come from several days, so they sort candidates but do not compare them.
std::string verdict_text(const Plan& plan) {
  if (plan.verdict == Verdict::decided)
    return "the first is faster than all others (95 % confidence)";
  if (plan.verdict == Verdict::tied)
    return "no other is more than 1 % faster than the first (95 % confidence)";
  if (plan.verdict == Verdict::undecided)
    return "the budget or the samples were used up before one was shown to be the fastest";
  return count_recalled(plan) > 0 ? "the records know all times, and nothing was measured again"
                                  : "nothing measured";
}

void print_certificate(const Certificate& certificate) {
  std::cout << "certificate: the best prediction is " << format_seconds(certificate.optimum)
            << ", and none is below " << format_seconds(certificate.bound) << " (gap "
            << formatted("%.1f", 100 * certificate.gap) << " %)\n"
            << "band model: the optimum is " << format_seconds(certificate.band.optimum) << ", and "
            << format_seconds(certificate.band.bound)
            << " with real tile sizes (programs solved: " << certificate.band.solved
            << ", pruned: " << certificate.band.pruned
            << ", not solved: " << certificate.band.unsolved << ")\n";
  for (const Divisibility& level : certificate.divisibility) {
    std::cout << level.level << " moves " << level.divisors << " elements with tiles that divide, "
              << level.any << " with any tiles";
    if (level.any_bound < (1 - kProven) * level.any)
      std::cout << " (the search was cut short; at least " << level.any_bound << ")";
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
  if (const std::size_t known = count_recalled(plan); known > 0)
    std::cout << known << " times came from the records (--no-records measures again)\n";
  if (plan.options.verify > 0 && plan.options.regime != Regime::hot)
    std::cout << "predictions are for hot caches, measurements for "
              << in_words(plan.options.regime) << '\n';
  for (const Rejected& one : plan.rejected)
    std::cout << "rejected " << one.count << ": " << one.reason << '\n';
}

void plan_problem(const Flags& flags) {
  const Options options = options_of(flags);
  const Problem problem = parse_problem(flags.problem);
  if (!flags.save.empty()) require_file_place(flags.save);
  if (options.verify > 0) require_memory(computation_of(problem));
  const Machine machine = machine_of(flags);
  if (options.verify > 0 && stderr_is_terminal())
    std::cerr << "planning, then measuring " << options.verify << " candidates for at most "
              << options.budget_seconds << " s ...\n";
  const Plan result = plan_with_records(problem, machine, options, flags);
  print_machine_notes(result.machine);
  if (!flags.save.empty()) save_plan(result, flags.save);
  flags.json ? print_json(plan_document(result)) : print_text(result);
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
    is_model(flags->problem) ? plan_model(*flags, flags->save) : plan_problem(*flags);
  });
}

}  // namespace tileplan
