// SPDX-License-Identifier: Apache-2.0
// `tileplan explain` shows what each cache holds and moves under one schedule, and where the time
// goes.
#include "tileplan/explain.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "documents.h"
#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/text.h"
#include "tileplan/verify.h"
#include "verbs.h"

namespace tileplan {
namespace {

constexpr double kMeasureBudget = 2;  // Limits the measurement, in seconds.

struct ExplainFlags : PlanFlags {
  /// Holds the schedule to explain. If it is empty, candidate number `rank` of the plan is
  /// explained.
  std::string schedule;
  int rank = 1;
  bool measure = false;
};

/// Checks the outputs of the kernel and, if all are right, measures its time. Otherwise adds the
/// mismatch to Explanation::rejected and returns false.
bool measure_on_host(Explanation& explanation) {
  const Kernel kernel =
      compile(plan_of(explanation.problem, explanation.machine, explanation.candidate.schedule,
                      {.threads = explanation.machine.cores}));
  const Check check = check_kernel(kernel);
  if (check.passed()) {
    explanation.candidate.measurement = measure(kernel, kMeasureBudget, explanation.regime);
  } else {
    explanation.rejected.push_back(mismatch_text(check));
  }
  return check.passed();
}

/// Returns the plan of the problem, or nothing if the user gave a schedule.
std::optional<PlanWithRivals> planned(const ExplainFlags& flags, const Problem& problem,
                                      const Machine& machine) {
  if (!flags.schedule.empty()) return std::nullopt;
  Options options = options_of(flags);
  options.top = std::max(options.top, flags.rank);
  return plan_with_rivals(problem, machine, options);
}

/// Returns the schedule of the candidate of `found` at position `rank`, where the best candidate
/// has rank 1. Throws Error when no candidate has this rank.
const Schedule& schedule_of_rank(const Plan& found, int rank) {
  const auto count = static_cast<int>(found.candidates.size());
  if (rank < 1 || rank > count)
    throw Error("--rank: " + std::to_string(rank) + "; must be at least 1 and at most " +
                std::to_string(count) + ", the candidates of this plan");
  return found.candidates[static_cast<std::size_t>(rank) - 1].schedule;
}

Status explain_schedule(const ExplainFlags& flags) {
  const Problem problem = parse_problem(flags.problem);
  const Machine machine = machine_of(flags);
  require_threads(flags.threads, machine);
  if (flags.measure) require_host(machine, "--measure");
  const std::optional<PlanWithRivals> found = planned(flags, problem, machine);
  Explanation explanation =
      explain(problem, machine,
              found ? schedule_of_rank(found->plan, flags.rank) : parse_schedule(flags.schedule),
              {.regime = parse_regime(regime_text(flags)), .threads = flags.threads});
  explanation.order.rival = found ? nearest_rival(explanation, *found)
                                  : nearest_rival(explanation, machine, options_of(flags));
  print_machine_notes(explanation.machine, true);
  const bool right = !flags.measure || measure_on_host(explanation);
  std::cout << (flags.json
                    ? to_json(explanation) + '\n'
                    : to_text(explanation, terminal_style()) +
                          fitted(found ? algorithms_text(found->plan) : "", terminal_style()));
  return right ? Status::good : Status::no;
}

}  // namespace

void add_explain(CLI::App& app, Status& status) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* verb = app.add_subcommand(
      "explain", "Show what each cache holds and moves under a schedule, with bounds and times.");
  add_problem(*verb, flags->problem)->required();
  CLI::Option* schedule =
      verb->add_option("--schedule,schedule", flags->schedule,
                       "The schedule is written as plan prints it: '[...] in=nhwc out=nhwc'. "
                       "Without it, the plan is made and its first candidate is explained.");
  verb->add_option("--rank", flags->rank,
                   "Explain the candidate of this rank of the plan (default: 1).")
      ->excludes(schedule);
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--regime", "--layout", "--weights", "--algorithm",
             "--max-error", "--top", "--json"});
  verb->get_option("--top")->description(
      "Take the ranks of a plan of this many candidates (default: 10, or --rank if it is "
      "greater).");
  for (const char* name : {"--layout", "--weights", "--algorithm", "--max-error", "--top"})
    verb->get_option(name)->excludes(schedule);
  verb->add_flag("--measure", flags->measure,
                 "Compile the schedule, check it and time it on this machine.");
  verb->callback([flags, &status] { status = explain_schedule(*flags); });
}

}  // namespace tileplan
