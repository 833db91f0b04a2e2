// SPDX-License-Identifier: Apache-2.0
// `tileplan run` compiles a schedule, checks every output and times the kernel. The runs of whole
// networks are in run_model.cpp.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

#include "documents.h"
#include "flags.h"
#include "run_model.h"
#include "tileplan/compare.h"
#include "tileplan/error.h"
#include "tileplan/explain.h"
#include "tileplan/network_run.h"
#include "tileplan/text.h"

namespace tileplan {
namespace {

struct RunFlags : PlanFlags {
  /// Points to the parsed verb, which counts how often the user typed each flag.
  const CLI::App* verb = nullptr;
  std::string schedule;
  std::string plan_file;
  std::vector<std::string> against;
  ModelFiles files;
};

void check_choice(const RunFlags& flags) {
  const bool file = !flags.plan_file.empty(), schedule = !flags.schedule.empty();
  if (file && schedule)
    throw Error("run: --plan " + flags.plan_file + " and --schedule; must be one of them");
  for (const char* flag : {"--algorithm", "--max-error", "--weights"})
    if ((file || schedule) && flags.verb->count(flag) > 0)
      throw Error(std::string("run: ") + flag +
                  " with a given schedule, which has its own; must be left out");
  if ((file || schedule) && flags.layout != "any")
    throw Error("run: --layout " + flags.layout +
                " with a given schedule, which has its own; must be left out");
}

/// Throws Error unless `machine` has the instruction set of `saved`, the plan in `file`. Prints a
/// note when the plan was made for a machine of another name.
void require_same_isa(const Plan& saved, const Machine& machine, const std::string& file) {
  const Schedule& schedule = saved.candidates.front().schedule;
  const Isa isa = schedule.isa.value_or(saved.machine.vector.isa);
  const bool has = isa == machine.vector.isa ||
                   (machine.narrow && isa == machine.narrow->vector.isa && schedule.isa) ||
                   (machine.tiles && isa == machine.tiles->isa);
  if (!has)
    throw Error("--plan: " + file + " is for " + saved.machine.name + ", with " + to_string(isa) +
                "; " + machine.name + " has " + to_string(machine.vector.isa) +
                "; must be a plan for this instruction set");
  if (saved.machine.name != machine.name)
    print_note(file + " was planned for " + saved.machine.name);
}

/// Throws Error for a flag that does not apply to a whole model.
void require_model_flags(const RunFlags& flags) {
  for (const char* name :
       {"--schedule", "--plan", "--against", "--epilogue", "--layout", "--weights"})
    if (flags.verb->count(name) > 0)
      throw Error(std::string(name) +
                  " with a model, whose layers have their own; must be left out");
}

/// Throws Error for a problem, and for a flag that has no effect on a saved network.
void require_saved_network_flags(const RunFlags& flags) {
  if (!flags.problem.empty())
    throw Error("run: " + flags.problem +
                " with a saved network, which has its own; must be left out");
  for (const char* name :
       {"--machine", "--threads", "--layout", "--weights", "--algorithm", "--max-error",
        "--epilogue", "--regime", "--verify", "--shape", "--schedule", "--against", "--save"})
    if (flags.verb->count(name) > 0)
      throw Error(std::string(name) + " with a saved network, which has its own; must be left out");
}

Plan chosen_plan(const RunFlags& flags, const Options& options) {
  check_choice(flags);
  const Machine machine = machine_of(flags);
  require_host(machine, "--machine");
  if (!flags.plan_file.empty()) {
    const Plan saved = load_plan(flags.plan_file);
    if (!flags.problem.empty() &&
        to_string(parse_problem(flags.problem)) != to_string(saved.problem))
      throw Error("--plan: " + flags.plan_file + " is for " + to_string(saved.problem) +
                  ", not for " + flags.problem);
    require_same_isa(saved, machine, flags.plan_file);
    Options chosen = saved.options;
    if (flags.verb->count("--threads") > 0) chosen.threads = options.threads;
    if (flags.verb->count("--epilogue") > 0) chosen.epilogue = options.epilogue;
    if (flags.verb->count("--regime") > 0) chosen.regime = options.regime;
    return plan_of(saved.problem, machine, saved.candidates.front().schedule, chosen);
  }
  if (flags.problem.empty()) throw Error("run: a problem or --plan FILE must be given");
  const Problem problem = parse_problem(flags.problem);
  if (!flags.schedule.empty())
    return plan_of(problem, machine, parse_schedule(flags.schedule), options);
  return plan(problem, machine, options);
}

struct Rival {
  Schedule schedule;
  Check check = {};
  PairedResult paired = {};
};

double peak_of(const Plan& plan, const Kernel& kernel) {
  const Isa isa = plan.machine.vector.isa;
  double peak = measure_peak_flops(isa, kernel.types());
  if (may_widen(plan.machine.vector)) peak = std::max(peak, measure_peak_flops(isa));
  return plan.options.threads * peak;
}

/// Holds the check and the times of a kernel and its rivals. No kernel is timed if an output of the
/// kernel or of a rival is wrong.
struct RunOutcome {
  Check check;
  std::optional<Measurement> measured = {};
  std::vector<Rival> rivals = {};
  RepackSeconds repack = {};
  /// Holds the peak of all threads together in flop/s, at the fastest clock that was measured.
  double peak = 0;
};

Json check_document(const Check& check) {
  return {{"compared", check.compared},
          {"largest_error", check.largest_error},
          {"tolerance", check.tolerance},
          {"passed", check.passed()}};
}

std::string why_no_ratio(const PairedResult& paired) {
  return paired.pairs == 0 ? "not measured" : paired.disturbed;
}

/// Returns the check and the times of `rival`, a schedule given by --against. Its `ratio` is its
/// time divided by the time of the chosen schedule.
Json rival_document(const Rival& rival) {
  const PairedResult& paired = rival.paired;
  Json document{{"schedule", to_string(rival.schedule)},
                {"check", check_document(rival.check)},
                {"median_s", median_or_null(paired.second)}};
  add_ratio(document, paired.ratio);
  document["kept"] = paired.kept;
  document["pairs"] = paired.pairs;
  if (!paired.ratio) document["reason"] = why_no_ratio(paired);
  return document;
}

std::string rival_text(const Rival& rival) {
  const PairedResult& paired = rival.paired;
  const std::string text = "against " + to_string(rival.schedule) + ": ";
  if (!rival.check.passed()) return text + "its check FAILED: " + mismatch_text(rival.check) + '\n';
  if (!paired.ratio) return text + why_no_ratio(paired) + '\n';
  return text + "it takes " + interval_text(*paired.ratio) +
         " of the time (median and 95 % interval of " + std::to_string(paired.kept) + " of " +
         std::to_string(paired.pairs) + " pairs)\n";
}

Json run_document(const Plan& plan, const RunOutcome& outcome) {
  const auto& [check, measured, rivals, repack, peak] = outcome;
  const Candidate& choice = plan.candidates.front();
  const Measurement times = measured.value_or(Measurement{});
  const auto timed = [&](double value) { return outcome.measured ? Json(value) : Json(); };
  const double rate = plan.flops / times.median_seconds;
  Json document{
      {"problem", to_string(plan.problem)},
      {"machine", plan.machine.name},
      {"threads", plan.options.threads},
      {"regime", to_string(plan.options.regime)},
      {"epilogue", to_string(plan.options.epilogue)},
      {"schedule", to_string(choice.schedule)},
      {"layout", {{"in", to_string(choice.schedule.in)}, {"out", to_string(choice.schedule.out)}}},
      {"weights", weights_text(choice.schedule)},
      {"check", check_document(check)},
      {"predicted_s", choice.prediction.seconds},
      {"repack", repack_document(repack)},
      {"median_s", timed(times.median_seconds)},
      {"low_s", timed(times.low_seconds)},
      {"high_s", timed(times.high_seconds)},
      {"kept", times.kept},
      {"samples", times.samples},
      {"gflops", timed(rate / kGiga)},
      {"share_of_peak", timed(rate / peak)}};
  if (!rivals.empty()) document["against"] = Json::array();
  for (const Rival& rival : rivals) document["against"].push_back(rival_document(rival));
  return document;
}

std::string check_text(const Check& check) {
  std::ostringstream text;
  text << std::setprecision(kErrorDigits) << "check " << (check.passed() ? "passed" : "FAILED")
       << ": " << check.compared << " outputs, largest error " << check.largest_error
       << ", tolerance " << check.tolerance << '\n';
  if (!check.passed()) text << mismatch_text(check) << '\n';
  return text.str();
}

std::string measured_text(const Plan& plan, const RunOutcome& outcome) {
  const Candidate& choice = plan.candidates.front();
  const Measurement& measured = *outcome.measured;
  const double rate = plan.flops / measured.median_seconds;
  std::ostringstream text;
  text << "time " << format_seconds(measured.median_seconds) << " (predicted "
       << format_seconds(choice.prediction.seconds) << "), " << with_prefix(rate, "flop/s") << ", "
       << fixed(100 * rate / outcome.peak, 1) << " % of peak"
       << (choice.schedule.winograd ? " by the multiply-adds of the direct convolution; " : "; ")
       << in_words(plan.options.regime) << ", " << threads_text(plan.options.threads)
       << ", weights " << weights_text(choice.schedule) << ", " << measured.kept << " of "
       << measured.samples << " samples undisturbed\n"
       << repack_text(outcome.repack);
  if (rate > outcome.peak && !choice.schedule.winograd) text << above_peak_text(plan.problem);
  return text.str();
}

void print_text(const Plan& plan, const RunOutcome& outcome) {
  std::string text = name_of(plan.problem) + ": " + to_string(plan.candidates.front().schedule) +
                     '\n' + check_text(outcome.check);
  for (const Rival& rival : outcome.rivals) text += rival_text(rival);
  if (outcome.measured) text += measured_text(plan, outcome);
  std::cout << fitted(text, terminal_style());
}

std::vector<Kernel> compile_rivals(const Plan& plan, const std::vector<std::string>& schedules) {
  std::vector<Kernel> kernels;
  kernels.reserve(schedules.size());
  for (const std::string& text : schedules)
    kernels.push_back(
        compile(plan_of(plan.problem, plan.machine, parse_schedule(text), plan.options)));
  return kernels;
}

std::vector<Rival> check_rivals(const std::vector<Kernel>& kernels, std::uint64_t seed) {
  std::vector<Rival> rivals;
  rivals.reserve(kernels.size());
  for (const Kernel& kernel : kernels)
    rivals.push_back({.schedule = kernel.schedule(), .check = check_kernel(kernel, seed)});
  return rivals;
}

/// Measures `kernel` alone, or in pairs with each kernel of `others`. Requires that all kernels
/// passed their checks.
void measure_outcome(RunOutcome& outcome, const Kernel& kernel, const std::vector<Kernel>& others,
                     const Options& options, double budget_seconds) {
  if (others.empty()) {
    outcome.measured = measure(kernel, budget_seconds, options.regime);
    return;
  }
  const std::vector<PairedResult> paired =
      compare(kernel, others,
              {.budget_seconds = budget_seconds, .regime = options.regime, .seed = options.seed});
  for (std::size_t i = 0; i < paired.size(); ++i) outcome.rivals[i].paired = paired[i];
  outcome.measured = paired.front().first;
}

Status run(const RunFlags& flags) {
  if (!flags.plan_file.empty() && is_saved_network(flags.plan_file)) {
    require_saved_network_flags(flags);
    return run_saved_network(flags.plan_file, flags, flags.files);
  }
  if (is_model(flags.problem)) {
    require_model_flags(flags);
    return run_model(flags, flags.files);
  }
  require_no_shapes(flags, {flags.problem});
  if (!flags.files.inputs.empty() || !flags.files.outputs.empty() || !flags.files.save.empty() ||
      flags.verify != 0)
    throw Error("--input, --outputs, --save or --verify without a model (.onnx); must be left out");
  const Options options = options_of(flags);
  const Plan plan = chosen_plan(flags, options);
  print_machine_notes(plan.machine);
  const Kernel kernel = compile(plan);
  const std::vector<Kernel> others = compile_rivals(plan, flags.against);
  RunOutcome outcome{
      .check = check_kernel(kernel, plan.options.seed),
      .rivals = check_rivals(others, plan.options.seed),
      .repack = explain(plan.problem, plan.machine, plan.candidates.front().schedule, plan.options)
                    .repack,
      .peak = peak_of(plan, kernel)};
  const bool passed =
      outcome.check.passed() && std::ranges::all_of(outcome.rivals, &Check::passed, &Rival::check);
  if (passed)
    measure_outcome(outcome, kernel, others, plan.options, flags.budget.value_or(kRunBudget));
  outcome.peak = std::max(outcome.peak, peak_of(plan, kernel));
  flags.json ? print_json(run_document(plan, outcome)) : print_text(plan, outcome);
  return passed ? Status::good : Status::no;
}

}  // namespace

void add_run(CLI::App& app, Status& status) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* verb = app.add_subcommand("run", "Compile a schedule, check every output and time it.");
  add_problem(*verb, flags->problem,
              "The problem is a benchdnn descriptor, a layer name (resnet18-9), a matrix product "
              "(m128n256k512), a relation or MODEL.onnx.");
  add_flags(*verb, *flags,
            {"--machine", "--threads", "--layout", "--weights", "--algorithm", "--max-error",
             "--epilogue", "--regime", "--budget", "--verify", "--shape", "--json"});
  describe_regime_of_models(*verb);
  verb->get_option("--budget")->description("Measure for this many seconds (default: 2).");
  verb->add_option("--schedule", flags->schedule, "Run this schedule instead of planning.");
  verb->add_option(
      "--plan", flags->plan_file,
      "Run the choice of a plan that plan --save wrote, or a network that run --save wrote.");
  verb->add_option("--against", flags->against,
                   "Time the schedule in pairs with this one; may be repeated.")
      ->allow_extra_args(false);
  verb->add_option(
          "--input", flags->files.inputs,
          "Read an input of the model, such as image=FILE, which holds numbers of its type in "
          "row-major order; may be repeated.")
      ->allow_extra_args(false);
  verb->add_option(
      "--outputs", flags->files.outputs,
      "Run the model on the inputs and write each output to a file in this folder, which "
      "is made if it is missing.");
  verb->add_option("--save", flags->files.save,
                   "Write the compiled model and its packed weights to this file for --plan.");
  flags->verb = verb;
  verb->callback([flags, &status] { status = run(*flags); });
}

}  // namespace tileplan
