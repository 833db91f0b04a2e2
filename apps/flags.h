// SPDX-License-Identifier: Apache-2.0
// Flags that several verbs share, turned into library values.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tileplan/plan.h"

namespace tileplan {

/// The flags of `plan`, as typed.
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
  std::optional<double> budget;     ///< none: the verb's default
  std::string records;              ///< database of measurements; empty: the user's
  std::vector<std::string> shapes;  ///< of a model's inputs: "input=1x3x224x224"
  bool no_records = false;
  bool json = false;
};

/// Adds the positional problem; benchdnn's flags, wherever they stand, go before it into `problem`.
CLI::Option* add_problem(
    CLI::App& verb, std::string& problem,
    const std::string& description = "descriptor, layer name, gemm or relation");

/// `arguments`, of the program, with a blank before each that is a whole problem with benchdnn's
/// flags ("--dt=f64 mb1ic64..."), so that it is not taken for a flag.
std::vector<std::string> with_quoted_problems(std::vector<std::string> arguments);

/// Adds the flags of every verb that plans: the machine, threads and layouts to plan for.
void add_planning_flags(CLI::App& verb, PlanFlags& flags);

/// Adds these and the other flags that `plan`, `run` and `bench` have in common.
void add_common_flags(CLI::App& verb, PlanFlags& flags);

/// Adds the flag of the verbs that make kernels.
void add_epilogue_flag(CLI::App& verb, PlanFlags& flags);

/// "host" is detect_machine(), anything else load_machine().
Machine machine_of(const PlanFlags& flags);

/// Throws Error that names `flag` when kernels for `machine` cannot be measured on this host.
void require_host(const Machine& machine, const std::string& flag);

/// Throws Error for a number of seconds that is not positive and finite.
void require_budget(const std::optional<double>& seconds);

/// Throws Error as that, and for a budget or records that would be ignored: beside no --verify,
/// or beside --no-records.
void require_used_measuring(const PlanFlags& flags);

/// Throws Error for more threads than `machine` has cores, or none.
void require_threads(int threads, const Machine& machine);

/// Library options. Throws Error for values that this version does not have.
Options options_of(const PlanFlags& flags);

/// True when notes and progress may be shown: stderr is a terminal.
bool stderr_is_terminal();

/// One line on stderr for each note of the machine, and when nothing else says that it was never
/// calibrated.
void print_machine_notes(const Machine& machine);

}  // namespace tileplan
