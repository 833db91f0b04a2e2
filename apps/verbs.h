// SPDX-License-Identifier: Apache-2.0
// Each function add_...() of this file adds a verb with its flags and its action to the command
// line `app`.
#pragma once

#include <CLI/CLI.hpp>

namespace tileplan {

/// Lists the exit codes. `no` is a negative result, such as a failed check. `wrong` reports errors,
/// such as invalid usage or input.
enum class Status { good = 0, no = 1, wrong = 2 };

/// Wraps the help of `app` to the width of the terminal. Verbs that are added to `app` later
/// inherit its formatter.
void fit_help(CLI::App& app);

void add_plan(CLI::App& app);
void add_calibrate(CLI::App& app);
void add_records(CLI::App& app);
void add_emit(CLI::App& app);
void add_report(CLI::App& app);
void add_movement(CLI::App& app);
void add_classes(CLI::App& app);
void add_bound(CLI::App& app);
void add_help(CLI::App& app);
void add_layers(CLI::App& app);
void add_study(CLI::App& app);

/// Each of the following functions adds a verb that may set `status` to `no`. The caller
/// initialises `status` to `good`.
void add_run(CLI::App& app, Status& status);
void add_bench(CLI::App& app, Status& status);
void add_explain(CLI::App& app, Status& status);
void add_candidates(CLI::App& app, Status& status);
void add_measure(CLI::App& app, Status& status);

}  // namespace tileplan
