// SPDX-License-Identifier: Apache-2.0
// Each function adds a verb with its flags and its action to the command line `app`.
#pragma once

#include <CLI/CLI.hpp>

namespace tileplan {

/// Lists the exit codes. `no` is a negative answer. `wrong` means that usage or input is wrong.
enum class Status { good = 0, no = 1, wrong = 2 };

/// Lets help fit the terminal. Verbs that are added later inherit this.
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

/// These verbs set `status` to `no` when the answer is no. It is `good` at first.
void add_run(CLI::App& app, Status& status);
void add_bench(CLI::App& app, Status& status);
void add_explain(CLI::App& app, Status& status);
void add_candidates(CLI::App& app, Status& status);
void add_measure(CLI::App& app, Status& status);

}  // namespace tileplan
