// SPDX-License-Identifier: Apache-2.0
// tileplan run: plan when nothing is given, compile, compare every output with the reference, time.
#include <iostream>
#include <optional>

#include "documents.h"
#include "flags.h"
#include "merged.h"
#include "regime.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "timer.h"
#include "verbs.h"

namespace tileplan {

namespace {

struct Flags : PlanFlags {
  std::string schedule;
  std::string plan_file;
};

constexpr double kGiga = 1e9;
constexpr double kRunBudget = 2;  // seconds of timing

/// Combinations of which one would be ignored.
void check_choice(const Flags& flags) {
  const bool file = !flags.plan_file.empty(), schedule = !flags.schedule.empty();
  if (file && schedule)
    throw Error("run: --plan " + flags.plan_file + " and --schedule; must be one of them");
  if ((file || schedule) && flags.layout != "any")
    throw Error("run: --layout " + flags.layout +
                " with a given schedule, which has its own; must be left out");
}

Plan chosen_plan(const Flags& flags, const Options& options) {
  check_choice(flags);
  const Machine machine = machine_of(flags);
  if (const auto why = host_mismatch(machine))
    throw Error("--machine: " + machine.name + " is not this host: " + *why);
  if (!flags.plan_file.empty()) {
    const Plan saved = load_plan(flags.plan_file);
    if (!flags.problem.empty() &&
        to_string(parse_problem(flags.problem)) != to_string(saved.problem))
      throw Error("--plan: " + flags.plan_file + " is for " + to_string(saved.problem) +
                  ", not for " + flags.problem);
    require_memory(computation_of(saved.problem));
    return plan_of(saved.problem, machine, saved.candidates.front().schedule, options);
  }
  if (flags.problem.empty()) throw Error("run: a problem or --plan FILE must be given");
  const Problem problem = parse_problem(flags.problem);
  require_memory(computation_of(problem));
  if (!flags.schedule.empty())
    return plan_of(problem, machine, parse_schedule(flags.schedule), options);
  return plan(problem, machine, options);
}

/// What nchw costs the choice of `plan` on its threads.
Repack repack_of(const Plan& plan, int threads) {
  const Schedule& schedule = plan.candidates.front().schedule;
  const Computation computation = computation_of(plan.problem, schedule);
  const Nest nest = resolve(schedule, computation, plan.machine.vector.lanes);
  return repack(computation, schedule, nest, plan.machine, threads);
}

/// What came out; nothing measured where the check failed.
struct RunOutcome {
  Check check;
  std::optional<Measurement> measured = {};
  Repack repack = {};
  double peak = 0;  ///< flops per second of the threads used
};

/// Times are null when nothing was measured.
Json run_document(const Plan& plan, const RunOutcome& outcome) {
  const auto& [check, measured, repack, peak] = outcome;
  const Candidate& choice = plan.candidates.front();
  Json document{
      {"problem", to_string(plan.problem)},
      {"machine", plan.machine.name},
      {"threads", plan.options.threads},
      {"regime", to_string(plan.options.regime)},
      {"epilogue", to_string(plan.options.epilogue)},
      {"schedule", to_string(choice.schedule)},
      {"layout", {{"in", to_string(choice.schedule.in)}, {"out", to_string(choice.schedule.out)}}},
      {"check",
       {{"compared", check.compared},
        {"largest_error", check.largest_error},
        {"tolerance", check.tolerance},
        {"passed", check.passed()}}},
      {"predicted_s", choice.prediction.seconds},
      {"repack", repack_document(repack)},
      {"median_s", nullptr},
      {"low_s", nullptr},
      {"high_s", nullptr},
      {"kept", 0},
      {"samples", 0},
      {"gflops", nullptr},
      {"share_of_peak", nullptr}};
  if (!measured) return document;
  const double rate = plan.flops / measured->median_seconds;
  document["median_s"] = measured->median_seconds;
  document["low_s"] = measured->low_seconds;
  document["high_s"] = measured->high_seconds;
  document["kept"] = measured->kept;
  document["samples"] = measured->samples;
  document["gflops"] = rate / kGiga;
  document["share_of_peak"] = rate / peak;
  return document;
}

void print_text(const Plan& plan, const RunOutcome& outcome) {
  const auto& [check, measured, repack, peak] = outcome;
  const Candidate& choice = plan.candidates.front();
  std::cout << name_of(plan.problem) << ": " << to_string(choice.schedule) << '\n'
            << "check " << (check.passed() ? "passed" : "FAILED") << ": " << check.compared
            << " outputs, largest error " << check.largest_error << ", tolerance "
            << check.tolerance << '\n';
  if (!measured) {
    std::cout << "output " << check.worst_index << " is " << check.got << ", expected "
              << check.expected << '\n';
    return;
  }
  const double rate = plan.flops / measured->median_seconds;
  std::cout << "time " << format_seconds(measured->median_seconds) << " (predicted "
            << format_seconds(choice.prediction.seconds) << "), " << rate / kGiga << " GFLOP/s, "
            << 100 * rate / peak << " % of peak; " << in_words(plan.options.regime) << ", "
            << threads_text(plan.options.threads) << ", " << measured->kept << " of "
            << measured->samples << " samples undisturbed\n"
            << repack_text(repack);
}

}  // namespace

void add_run(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand("run", "Compile a schedule, check every output, time it.");
  add_problem(*verb, flags->problem);
  add_common_flags(*verb, *flags);
  add_epilogue_flag(*verb, *flags);
  verb->add_option("--schedule", flags->schedule, "run this schedule");
  verb->add_option("--plan", flags->plan_file, "run the choice of a file written by plan --save");
  verb->callback([flags, &status] {
    const Options options = options_of(*flags);
    Plan plan = chosen_plan(*flags, options);
    plan.options.regime = options.regime;
    print_machine_notes(plan.machine);
    const Kernel kernel = compile(plan);
    RunOutcome outcome{
        .check = check_kernel(kernel, plan.options.seed),
        .repack = repack_of(plan, kernel.threads()),
        .peak = plan.options.threads * peak_flops_measured(plan.machine.vector.isa, kernel.type())};
    const bool passed = outcome.check.passed();
    if (passed) outcome.measured = measure(kernel, kRunBudget, options.regime);
    if (flags->json) {
      std::cout << run_document(plan, outcome).dump(2) << '\n';
    } else {
      print_text(plan, outcome);
    }
    status = passed ? Status::good : Status::no;
  });
}

}  // namespace tileplan
