// SPDX-License-Identifier: Apache-2.0
// This file declares the flags that several verbs share, functions that add, check and apply them,
// and run_program(), which runs a command line.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <string_view>

#include "tileplan/network.h"
#include "tileplan/plan.h"
#include "verbs.h"

namespace tileplan {

/// Limits the measurement of `run` and of `report --measure` without --budget, in seconds.
inline constexpr double kRunBudget = 2;

/// Holds the values of the flags that several verbs share.
struct PlanFlags {
  std::string problem;
  std::string machine = "host";
  std::string layout = "any";
  std::string weights = "packed";
  /// Names the cache state. If it is empty, Regime::hot is used, or NetworkOptions::as_in_network
  /// for models.
  std::string regime;
  std::string certify = "best";
  std::string capacity = "lru2";
  std::string algorithm = "direct";
  std::string variant = {};
  std::optional<double> max_error;
  int threads = 1;
  int top = 10;
  int verify = 0;
  std::string epilogue = "none";
  std::optional<double> budget;  ///< Limits the measurements, in seconds.
  /// Names the path of a database of measurements. If it is empty, the user's database is used.
  std::string records;
  /// Each text gives the shape of a model's input, such as "input=1x3x224x224".
  std::vector<std::string> shapes;
  bool no_records = false;
  bool json = false;
};

/// Adds a positional argument for one problem, and the flags of benchdnn that may precede it (--dt,
/// --cfg, --dir, --alg).
CLI::Option* add_problem(CLI::App& verb, std::string& problem,
                         const std::string& description =
                             "The problem is a benchdnn descriptor, a layer name "
                             "(resnet18-9), a matrix product (m128n256k512) or a relation.");

/// Holds the problems and the files of layers on the command line, and the flags of benchdnn that
/// apply to all of them.
struct ProblemFlags {
  std::vector<std::string> subjects = {}, files = {};
  /// Holds flags of benchdnn that are put in front of each problem, such as "--dt=bf16 ".
  std::string before = {};
};

/// Adds a positional argument for any number of problems, and the flags of benchdnn.
CLI::Option* add_problems(CLI::App& verb, ProblemFlags& problems, const std::string& description);

/// Adds the flags in `names`, such as {"--machine", "--json"}, to `verb`.
void add_flags(CLI::App& verb, PlanFlags& flags, std::initializer_list<std::string_view> names);

/// Adds the cache state that is the default for models to the description of --regime, for verbs
/// that plan whole models.
void describe_regime_of_models(CLI::App& verb);

/// Returns detect_machine() for "host". Any other text is passed to load_machine().
Machine machine_of(const PlanFlags& flags);

/// Throws Error with the name of `flag` when kernels for `machine` cannot be measured on this host.
void require_host(const Machine& machine, const std::string& flag);

/// Throws Error if `seconds` is given and not positive and finite.
void require_budget(const std::optional<double>& seconds);

/// Throws Error when flags about measuring are invalid, contradict each other, or are given
/// although --verify does not ask for measurements.
void require_used_measuring(const PlanFlags& flags);

/// Throws Error unless `threads` is between 1 and the number of cores of `machine`.
void require_threads(int threads, const Machine& machine);

/// Returns the flags as Options of the library. Throws Error for unknown names, invalid numbers
/// (--threads is not checked), or --max-error if only direct convolutions are allowed.
Options options_of(const PlanFlags& flags);

/// Returns the text of --regime, or "hot" without it.
std::string regime_text(const PlanFlags& flags);

/// Throws Error when shapes of inputs are given, unless one of `problems` is a model.
void require_no_shapes(const PlanFlags& flags, const std::vector<std::string>& problems);

/// Prints `line` as a note on stderr, without control characters except for tabs.
void print_note(const std::string& line);

/// Returns the flags as options of a network, without a function that shows progress. Throws Error
/// as options_of() does, for invalid shapes, and for --weights other than `packed` with a model.
NetworkOptions network_options_of(const PlanFlags& flags);

/// Returns plan() of the arguments. If `options.verify` is above 0, candidates are measured, and
/// the records that `flags` selects are used.
Plan plan_with_flags(const Problem& problem, const Machine& machine, const Options& options,
                     const PlanFlags& flags);

/// Prints the message of the exception that is being handled on stderr, and returns Status::wrong
/// as a number.
int exit_code_of_exception();

/// Parses the command line, runs its verb and then `action`, and returns the status of `action` as
/// the exit code. With --help, prints help and runs neither. If CLI11 refuses the command line, the
/// reason is printed on stderr, and the exit code is Status::wrong. The exit code is also
/// Status::wrong if stdout cannot be written. Throws Error for unknown verbs and options, and what
/// the verb or `action` throws. The first Ctrl-C ends measurements early. A second Ctrl-C kills the
/// program.
int run_program(CLI::App& app, int argc, char** argv, const std::function<Status()>& action);

/// Returns the whole number that `text` represents. Throws Error with the name of `flag` when
/// `text` is no whole number; the message ends with `unit`, such as " of elements".
double whole_number(const std::string& flag, const std::string& text, const std::string& unit = "");

bool stderr_is_terminal();

/// Prints on stderr why a calibration is not used, the notes of a machine that is calibrated, and
/// whether `tileplan calibrate` should be run. If `all` is set, prints the notes of every machine,
/// but says that a calibration is missing only if there is nothing else to print.
void print_machine_notes(const Machine& machine, bool all = false);

}  // namespace tileplan
