// SPDX-License-Identifier: Apache-2.0
// The verbs of the command line: each adds its flags to `app` and sets `status` when it ran.
#pragma once

#include <CLI/CLI.hpp>

namespace tileplan {

/// Exit codes: good; the answer is "no"; wrong usage or input.
enum class Status { good = 0, no = 1, wrong = 2 };

void add_plan(CLI::App& app, Status& status);
void add_run(CLI::App& app, Status& status);
void add_bench(CLI::App& app, Status& status);
void add_calibrate(CLI::App& app, Status& status);
void add_study(CLI::App& app, Status& status);
void add_records(CLI::App& app, Status& status);
void add_emit(CLI::App& app, Status& status);
void add_explain(CLI::App& app, Status& status);
void add_candidates(CLI::App& app, Status& status);
void add_report(CLI::App& app, Status& status);
void add_movement(CLI::App& app, Status& status);
void add_classes(CLI::App& app, Status& status);
void add_bound(CLI::App& app, Status& status);

}  // namespace tileplan
