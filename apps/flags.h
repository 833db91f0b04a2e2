// SPDX-License-Identifier: Apache-2.0
// Several verbs share these flags and the checks that turn them into values of the library.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <initializer_list>
#include <string_view>

#include "tileplan/network.h"
#include "tileplan/plan.h"
#include "verbs.h"

namespace tileplan {

/// Holds the values that the user typed, or their defaults.
struct PlanFlags {
  std::string problem;
  std::string machine = "host";
  std::string layout = "any";
  std::string regime = "hot";
  std::string certify = "best";
  std::string capacity = "lru2";
  int threads = 1;
  int top = 10;
  int verify = 0;
  std::string epilogue = "none";
  std::optional<double> budget;     ///< seconds
  std::string records;              ///< It is a path, or empty for the database of the user.
  std::vector<std::string> shapes;  ///< A model has inputs like "input=1x3x224x224".
  bool no_records = false;
  bool json = false;
};

/// Adds the positional problem, and benchdnn's flags (--dt, --cfg, --dir, --alg) in front of it.
CLI::Option* add_problem(CLI::App& verb, std::string& problem,
                         const std::string& description =
                             "The problem is a benchdnn descriptor, a layer name "
                             "(resnet18-9), a matrix product (m128n256k512) or a relation.");

/// Adds the shared flags that `names` lists, e.g. {"--machine", "--json"}.
void add_flags(CLI::App& verb, PlanFlags& flags, std::initializer_list<std::string_view> names);

/// Returns detect_machine() for "host", and load_machine() for any other text.
Machine machine_of(const PlanFlags& flags);

/// Throws Error with the name of `flag` when kernels for `machine` cannot be measured on this host.
void require_host(const Machine& machine, const std::string& flag);

/// Throws Error unless `seconds`, if given, is positive and finite.
void require_budget(const std::optional<double>& seconds);

/// Throws Error for a budget or records that are wrong or would be ignored.
void require_used_measuring(const PlanFlags& flags);

/// Throws Error unless `machine` has so many cores.
void require_threads(int threads, const Machine& machine);

/// Returns the options of the library. Throws Error for values that do not exist.
Options options_of(const PlanFlags& flags);

/// Throws Error when shapes of inputs are given and the subject is no model.
void require_no_shapes(const PlanFlags& flags);

/// Prints a line about records on stderr.
void print_record_note(const std::string& line);

/// Returns the options of a network, without progress.
NetworkOptions network_options_of(const PlanFlags& flags);

/// Returns plan() of the arguments. Candidates are measured if `options` asks for that, with the
/// records that `flags` name.
Plan plan_with_flags(const Problem& problem, const Machine& machine, const Options& options,
                     const PlanFlags& flags);

/// Parses the command line and returns `action`'s status as the exit code. Errors go to stderr. The
/// first Ctrl-C ends measurements, so that the program prints what it has; a second one kills it.
int run_program(CLI::App& app, int argc, char** argv, const std::function<Status()>& action);

/// Returns the whole number that `text` is. Throws Error with the name of `flag`.
double whole_number(const std::string& flag, const std::string& text);

/// Returns true when progress may be shown.
bool stderr_is_terminal();

/// Prints each note of the machine on stderr, or a line that says that it was never calibrated.
void print_machine_notes(const Machine& machine);

}  // namespace tileplan
