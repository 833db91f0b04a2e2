// SPDX-License-Identifier: Apache-2.0
// tileplan run: plan when nothing is given, compile, compare every output with the reference, time.
#include <iostream>

#include "documents.h"
#include "flags.h"
#include "regime.h"
#include "tensor_memory.h"
#include "tileplan/error.h"
#include "tileplan/verify.h"
#include "verbs.h"

namespace tileplan {

namespace {

struct Flags : PlanFlags {
  std::string schedule;
  std::string plan_file;
};

constexpr double kRunBudget = 2;  // seconds of timing

Plan chosen_plan(const Flags& flags, const Options& options) {
  const Machine machine = machine_of(flags);
  if (const auto why = host_mismatch(machine))
    throw Error("--machine: " + machine.name + " is not this host: " + *why);
  if (!flags.plan_file.empty()) {
    const SavedPlan saved = read_plan(flags.plan_file);
    if (!flags.problem.empty() &&
        to_string(parse_problem(flags.problem)) != to_string(saved.problem))
      throw Error("--plan: " + flags.plan_file + " is for " + to_string(saved.problem) +
                  ", not for " + flags.problem);
    require_memory(computation_of(saved.problem));
    return plan_of(saved.problem, machine, saved.schedule, options);
  }
  if (flags.problem.empty()) throw Error("run: a problem or --plan FILE must be given");
  const Problem problem = parse_problem(flags.problem);
  require_memory(computation_of(problem));
  if (!flags.schedule.empty())
    return plan_of(problem, machine, parse_schedule(flags.schedule), options);
  return plan(problem, machine, options);
}

Json run_document(const Plan& plan, const Check& check, const Measurement& measured) {
  const Candidate& choice = plan.candidates.front();
  const double rate = plan.flops / measured.median_seconds;
  return Json{
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
      {"median_s", measured.median_seconds},
      {"low_s", measured.low_seconds},
      {"high_s", measured.high_seconds},
      {"kept", measured.kept},
      {"samples", measured.samples},
      {"gflops", rate / 1e9},
      {"share_of_peak", rate / (plan.options.threads * peak_flops(plan.machine))}};
}

void print_text(const Plan& plan, const Check& check, const Measurement& measured) {
  const Candidate& choice = plan.candidates.front();
  const double rate = plan.flops / measured.median_seconds;
  std::cout << name_of(plan.problem) << ": " << to_string(choice.schedule) << '\n'
            << "check " << (check.passed() ? "passed" : "FAILED") << ": " << check.compared
            << " outputs, largest error " << check.largest_error << ", tolerance "
            << check.tolerance << '\n';
  if (!check.passed()) {
    std::cout << "output " << check.worst_index << " is " << check.got << ", expected "
              << check.expected << '\n';
    return;
  }
  std::cout << "time " << format_seconds(measured.median_seconds) << " (predicted "
            << format_seconds(choice.prediction.seconds) << "), " << rate / 1e9 << " GFLOP/s, "
            << 100 * rate / (plan.options.threads * peak_flops(plan.machine)) << " % of peak; "
            << in_words(plan.options.regime) << ", " << threads_text(plan.options.threads) << ", "
            << measured.kept << " of " << measured.samples << " samples undisturbed\n";
}

}  // namespace

void add_run(CLI::App& app, Status& status) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand("run", "Compile a schedule, check every output, time it.");
  verb->add_option("problem", flags->problem, "descriptor, layer name, gemm or relation");
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
    const Check check = check_kernel(kernel, plan.options.seed);
    const Measurement measured =
        check.passed() ? measure(kernel, kRunBudget, options.regime) : Measurement{};
    if (flags->json) {
      std::cout << run_document(plan, check, measured).dump(2) << '\n';
    } else {
      print_text(plan, check, measured);
    }
    status = check.passed() ? Status::good : Status::no;
  });
}

}  // namespace tileplan
