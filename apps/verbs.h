// SPDX-License-Identifier: Apache-2.0
// Each verb of the command line adds its flags and its action to `app`.
#pragma once

#include <CLI/CLI.hpp>

namespace tileplan {

/// Is the exit code. `no` means that the answer is no, and `wrong` that usage or input is wrong.
enum class Status { good = 0, no = 1, wrong = 2 };

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

/// These verbs set `status`, which is good at first, when the answer is no.
void add_run(CLI::App& app, Status& status);
void add_bench(CLI::App& app, Status& status);
void add_explain(CLI::App& app, Status& status);
void add_candidates(CLI::App& app, Status& status);

}  // namespace tileplan
