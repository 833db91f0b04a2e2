// SPDX-License-Identifier: Apache-2.0
// This file adds shared flags, turns them into a Machine and Options, and parses command lines.
#include "flags.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <cmath>
#include <csignal>
#include <iostream>
#include <memory>
#include <variant>

#include "suggestion.h"
#include "tileplan/calibrate.h"
#include "tileplan/error.h"
#include "tileplan/records.h"
#include "tileplan/verify.h"

namespace tileplan {
namespace {

/// Lists the flags of benchdnn that may precede a problem, with their help texts.
constexpr std::pair<const char*, const char*> kProblemFlags[] = {
    {"--dt", "Set the element types of the problem: one, or input:weights:output."},
    {"--cfg", "Set the configuration of the problem as in benchdnn: f32."},
    {"--dir", "Set the direction of the problem as in benchdnn: FWD_B, FWD_D or FWD_I."},
    {"--alg", "Set the algorithm of the problem as in benchdnn: direct or auto."},
};

struct SharedFlag {
  std::string_view name;
  std::variant<std::string PlanFlags::*, int PlanFlags::*, bool PlanFlags::*,
               std::optional<double> PlanFlags::*, std::vector<std::string> PlanFlags::*>
      member;
  const char* description;
};

constexpr SharedFlag kSharedFlags[] = {
    {"--machine", &PlanFlags::machine,
     "Plan for host, a shipped machine by its name, or a machine file (default: host)."},
    {"--threads", &PlanFlags::threads, "Let the kernel use this many threads (default: 1)."},
    {"--layout", &PlanFlags::layout,
     "Allow these activation layouts: any, nhwc, nchw or blocked (default: any)."},
    {"--weights", &PlanFlags::weights,
     "Let the kernel take weights of this form: packed before it runs, or plain, which it reads in "
     "place or packs itself (default: packed)."},
    {"--top", &PlanFlags::top,
     "List this many candidates. Similar schedules get shares of the list, so that a shorter list "
     "need not be the start of a longer one (default: 10)."},
    {"--verify", &PlanFlags::verify,
     "Measure this many of the best candidates of each layer, the first of the list that --top "
     "gives (default: 0)."},
    {"--budget", &PlanFlags::budget, "Measure each layer for this many seconds (default: 3)."},
    {"--regime", &PlanFlags::regime,
     "Predict and measure for this cache state: hot, cold-weights, all-cold, or network:BYTES, "
     "which reads so many other bytes between runs (default: hot)."},
    {"--records", &PlanFlags::records,
     "Keep measurements in this database (default: records.db in the cache folder)."},
    {"--no-records", &PlanFlags::no_records, "Measure every candidate again and remember nothing."},
    {"--certify", &PlanFlags::certify,
     "Bound the loop orders of the best schedules (best) or all of them (full) (default: best)."},
    {"--capacity", &PlanFlags::capacity,
     "Decide what fits in a cache by the rule ideal, lru2 or ways (default: lru2)."},
    {"--algorithm", &PlanFlags::algorithm,
     "Compute convolutions by this algorithm: direct, winograd or any of both (default: direct)."},
    {"--variant", &PlanFlags::variant,
     "Search only schedules of this variant of the GEMM family: B3A2C0 or A3B2C0."},
    {"--max-error", &PlanFlags::max_error,
     "Allow Winograd convolutions whose a-priori error bound is at most this multiple of that of "
     "the direct convolution (default: 100)."},
    {"--epilogue", &PlanFlags::epilogue,
     "Apply these operations at the last store, separated by commas and in this order: alpha=X, "
     "accumulate or beta=Y, bias, add, an activation (leaky=ALPHA, sigmoid, silu, "
     "hard-sigmoid=ALPHA:BETA or hard-swish), then relu or clamp=LOW:HIGH. Quantised tensors take "
     "input-zero, weights-zero, accumulate, bias, scale, add or add=scaled, relu or clamp, "
     "output-zero; \"=channel\" after weights-zero or scale gives each output channel its own."},
    {"--shape", &PlanFlags::shapes,
     "Give an input of the model its shape, e.g. input=1x3x224x224."},
    {"--json", &PlanFlags::json, "Print one JSON document on standard output."},
};

/// Puts a blank in front of each argument that is a whole problem with benchdnn's flags ("--dt=f64
/// mb1ic64..."). Otherwise CLI11 would parse the argument as a flag.
std::vector<std::string> with_quoted_problems(std::vector<std::string> arguments) {
  for (std::string& argument : arguments) {
    const bool has_flag = std::ranges::any_of(kProblemFlags, [&](const auto& flag) {
      return argument.starts_with(std::string(flag.first) + "=");
    });
    if (has_flag && argument.find_first_of(" \t\n") != std::string::npos) argument.insert(0, " ");
  }
  return arguments;
}

void set_signals() {
  // A parent process may have set SIGCHLD to be ignored, and waiting for child processes would then
  // fail.
  std::signal(SIGCHLD, SIG_DFL);
  struct sigaction action {};
  action.sa_handler = [](int) { request_stop(); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

int fail(const std::string& reason) {
  std::cerr << "tileplan: " << message_line(reason) << '\n';
  return static_cast<int>(Status::wrong);
}

/// Returns `message`, which CLI11 wrote. If it tells that the value of an option is no number, the
/// result has the value and the rule, and `message` otherwise.
std::string with_rule(const CLI::App& app, const std::string& message) {
  constexpr std::string_view kUnconverted = "Could not convert: ", kEquals = " = ";
  const std::size_t equals = message.find(kEquals);
  if (!message.starts_with(kUnconverted) || equals == std::string::npos) return message;
  const std::string name = message.substr(kUnconverted.size(), equals - kUnconverted.size());
  std::string rule = "a number";
  for (const CLI::App* verb : app.get_subcommands())
    if (const CLI::Option* option = verb->get_option_no_throw(name);
        option != nullptr && option->get_type_name() == "INT")
      rule = "a whole number of at most 32 bits";
  return name + ": '" + message.substr(equals + kEquals.size()) + "'; must be " + rule;
}

/// Returns `message`, which CLI11 wrote. If it tells that a required option with a short name is
/// missing, puts the short name in front.
std::string with_short_name(const CLI::App& app, const std::string& message) {
  for (const CLI::App* verb : app.get_subcommands())
    for (const CLI::Option* option : verb->get_options())
      if (!option->get_snames().empty() && message == option->get_name() + " is required")
        return "-" + option->get_snames().front() + " or " + message;
  return message;
}

int run_arguments(CLI::App& app, std::vector<std::string> arguments,
                  const std::function<Status()>& action) {
  try {
    check_words(app, arguments);
    // CLI11 expects the arguments in reverse order.
    std::reverse(arguments.begin(), arguments.end());
    app.parse(std::move(arguments));
    return static_cast<int>(action());
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(app.exit(error) == 0 ? Status::good : Status::wrong);
  }
}

/// Adds the flags of benchdnn to `verb`. After parsing, calls `put_before` with the flags that the
/// user gave and their values as one text, such as "--dt=bf16 " or "".
void add_problem_flags(CLI::App& verb, const std::function<void(const std::string&)>& put_before) {
  const auto before = std::make_shared<std::string>();
  for (const auto& [name, meaning] : kProblemFlags)
    verb.add_option_function<std::string>(
        name,
        [before, flag = std::string(name)](const std::string& value) {
          before->append(flag).append("=").append(value).append(" ");
        },
        meaning);
  verb.parse_complete_callback([before, put_before] { put_before(*before); });
}

void require_problem(bool has_problem, const std::string& before) {
  if (!has_problem && !before.empty())
    throw Error(before + "without a problem; must stand before one");
}

}  // namespace

int exit_code_of_exception() {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fail("out of memory; the problem needs more than this machine has left");
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

CLI::Option* add_problem(CLI::App& verb, std::string& problem, const std::string& description) {
  add_problem_flags(verb, [&problem](const std::string& before) {
    require_problem(!problem.empty(), before);
    if (!before.empty() && is_network(problem))
      throw Error(before + "with " + problem +
                  ", to which flags of a problem do not apply; must be left out");
    problem = before + problem;
  });
  return verb.add_option("problem", problem, description);
}

CLI::Option* add_problems(CLI::App& verb, ProblemFlags& problems, const std::string& description) {
  add_problem_flags(verb, [&problems](const std::string& before) {
    require_problem(!problems.subjects.empty() || !problems.files.empty(), before);
    problems.before = before;
  });
  return verb.add_option("problems", problems.subjects, description);
}

void add_flags(CLI::App& verb, PlanFlags& flags, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto* const shared = std::ranges::find(kSharedFlags, name, &SharedFlag::name);
    std::visit(
        [&](auto member) {
          if constexpr (std::is_same_v<decltype(member), bool PlanFlags::*>)
            verb.add_flag(std::string(name), flags.*member, shared->description);
          else  // A list takes one value each time, so that a problem may follow.
            verb.add_option(std::string(name), flags.*member, shared->description)
                ->allow_extra_args(false);
        },
        shared->member);
  }
}

void describe_regime_of_models(CLI::App& verb) {
  CLI::Option* regime = verb.get_option("--regime");
  std::string text = regime->get_description();
  text.insert(text.rfind(")."), "; for a model, network with the bytes of its tensors");
  regime->description(text);
}

Machine machine_of(const PlanFlags& flags) {
  return flags.machine == "host" ? detect_machine() : load_machine(flags.machine);
}

void require_host(const Machine& machine, const std::string& flag) {
  if (const auto why = host_mismatch(machine))
    throw Error(flag + ": " + machine.name + " is not this host: " + *why);
}

void require_budget(const std::optional<double>& seconds) {
  if (seconds && !(*seconds > 0 && std::isfinite(*seconds)))
    throw Error("--budget: " + std::to_string(*seconds) + " seconds; must be positive and finite");
}

void require_threads(int threads, const Machine& machine) {
  if (threads < 1 || threads > std::max(machine.cores, 1))
    throw Error("--threads: " + std::to_string(threads) + "; must be between 1 and the " +
                std::to_string(machine.cores) + " cores of " + machine.name);
}

void require_used_measuring(const PlanFlags& flags) {
  require_budget(flags.budget);
  if (!flags.records.empty() && flags.no_records)
    throw Error("--records " + flags.records + " and --no-records; must be one of them");
  if (flags.verify != 0) return;
  const auto refuse = [](const char* flag) {
    throw Error(std::string(flag) + " without --verify, which measures; must be left out");
  };
  if (flags.budget) refuse("--budget");
  if (!flags.records.empty()) refuse("--records");
  if (flags.no_records) refuse("--no-records");
}

std::string regime_text(const PlanFlags& flags) {
  return flags.regime.empty() ? "hot" : flags.regime;
}

Options options_of(const PlanFlags& flags) {
  if (flags.top < 1) throw Error("--top: " + std::to_string(flags.top) + "; must be at least 1");
  if (flags.verify < 0)
    throw Error("--verify: " + std::to_string(flags.verify) + "; must be at least 0");
  require_budget(flags.budget);
  const LayoutChoice layout = parse_layout_choice(flags.layout);
  const Regime regime = parse_regime(regime_text(flags));
  const Algorithm algorithm = parse_algorithm(flags.algorithm);
  if (flags.max_error && algorithm == Algorithm::direct)
    throw Error("--max-error without --algorithm winograd or any; must be left out");
  if (flags.max_error && !(*flags.max_error >= 0 && std::isfinite(*flags.max_error)))
    throw Error("--max-error: " + std::to_string(*flags.max_error) +
                "; must be a finite multiple of the direct convolution's error bound, at least 0");
  if (flags.certify != "best" && flags.certify != "full")
    throw Error("--certify: '" + flags.certify + "'; must be best or full");
  return {.top = flags.top,
          .verify = flags.verify,
          .budget_seconds = flags.budget.value_or(Options{}.budget_seconds),
          .layout = layout,
          .weights = parse_weights_choice(flags.weights),
          .regime = regime,
          .threads = flags.threads,
          .epilogue = parse_epilogue(flags.epilogue),
          .capacity = parse_capacity(flags.capacity),
          .certify_full = flags.certify == "full",
          .algorithm = algorithm,
          .max_error = flags.max_error.value_or(Options{}.max_error),
          .variant = flags.variant.empty() ? std::nullopt
                                           : std::optional(parse_gemm_variant(flags.variant))};
}

void require_no_shapes(const PlanFlags& flags, const std::vector<std::string>& problems) {
  if (flags.shapes.empty() || std::ranges::any_of(problems, is_model)) return;
  throw Error("--shape: " + flags.shapes.front() + ", but '" +
              (problems.empty() ? "" : problems.front()) +
              "' is no model (.onnx); must be left out");
}

void print_note(const std::string& line) { std::cerr << "note: " << message_line(line) << '\n'; }

NetworkOptions network_options_of(const PlanFlags& flags) {
  if (flags.weights != "packed" && is_model(flags.problem))
    throw Error("--weights " + flags.weights +
                " with a model, whose weights are packed once; must be left out");
  return {.plan = options_of(flags),
          .shapes = parse_shapes(flags.shapes),
          .as_in_network = flags.regime.empty(),
          .records = {.path = flags.records, .note = print_note},
          .use_records = !flags.no_records};
}

Plan plan_with_flags(const Problem& problem, const Machine& machine, const Options& options,
                     const PlanFlags& flags) {
  if (options.verify == 0 || flags.no_records) return plan(problem, machine, options);
  std::optional<Records> records = open_records({flags.records, print_note});
  return records ? plan_with_records(problem, machine, options, *records, print_note)
                 : plan(problem, machine, options);
}

int run_program(CLI::App& app, int argc, char** argv, const std::function<Status()>& action) {
  set_signals();
  app.failure_message([](const CLI::App* failed, const CLI::Error& error) {
    const std::string message = with_short_name(*failed, with_rule(*failed, error.what()));
    return "tileplan: " + message_line(message) + " (see --help)\n";
  });
  const int status =
      run_arguments(app, with_quoted_problems({argv + std::min(argc, 1), argv + argc}), action);
  return std::cout.flush() ? status : fail("stdout: cannot be written");
}

double whole_number(const std::string& flag, const std::string& text, const std::string& unit) {
  std::int64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || rest != text.data() + text.size())
    throw Error(flag + " is '" + text + "'; must be a whole number" + unit);
  return static_cast<double>(number);
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) != 0; }

/// Describes the calibrations of each older protocol; the oldest is the first.
constexpr std::array kOlderProtocols{
    "without stores that conflict or bypass the caches and transforms of Winograd convolutions, "
    "whose cycles are estimated",
    "without transforms of Winograd convolutions, whose cycles are estimated",
    "which kept the fastest passes through caches instead of typical ones",
    "which did not ask how the second cache selects its sets",
    "which did not measure short calls of microkernels"};
static_assert(kOlderProtocols.size() == kProtocol);

void print_machine_notes(const Machine& machine, bool all) {
  const auto& [calibrated, protocol, source, notes, refusal] = machine.provenance;
  const bool is_calibrated = !calibrated.empty();
  if (!refusal.empty()) print_note(refusal);
  if (is_calibrated || all)
    for (const std::string& note : notes) print_note(note);
  if (!is_calibrated && (!all || (notes.empty() && refusal.empty())))
    print_note(machine.name +
               " is not calibrated, so its rates are estimates; `tileplan calibrate` measures "
               "yours (explain says more)");
  if (!is_calibrated || protocol >= kProtocol) return;
  print_note(machine.name + " was calibrated by an older protocol, " +
             kOlderProtocols[static_cast<std::size_t>(protocol)] +
             "; tileplan calibrate measures it again");
}

}  // namespace tileplan
