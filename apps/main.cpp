// SPDX-License-Identifier: Apache-2.0
// This is the command line `tileplan`. Each verb has a file of its own, and the exit code is 0 for
// success, 1 when the answer is no, and 2 for wrong usage or input.
#include <isl/version.h>
#include <nlopt.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "flags.h"
#include "suggestion.h"
#include "tileplan/error.h"
#include "tileplan/machine.h"
#include "tileplan/verify.h"
#include "verbs.h"
#include "version.h"

namespace tileplan {
namespace {

std::string host_isa() {
  try {
    return to_string(detect_machine().vector.isa);
  } catch (const Error&) {
    return "none that kernels are assembled for";
  }
}

/// Returns "isl-0.25-GMP". isl's own text ends with a line break.
std::string isl_text() {
  std::string text = isl_version();
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string version_text() {
  int major = 0, minor = 0, bugfix = 0;
  nlopt_version(&major, &minor, &bugfix);
  return "tileplan " + version_and_commit() + ", ISA of this CPU: " + host_isa() + ", " +
         isl_text() + ", nlopt " + std::to_string(major) + "." + std::to_string(minor) + "." +
         std::to_string(bugfix);
}

/// The first Ctrl-C ends measurements, so that the program prints what it has. A second one kills
/// the program.
void end_measurements(int) { tileplan::request_stop(); }

void set_signals() {
  std::signal(SIGCHLD, SIG_DFL);  // the parent process may have ignored it
  struct sigaction action {};
  action.sa_handler = end_measurements;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

int program(int argc, char** argv) {
  CLI::App app{
      "tileplan chooses loop orders, tile sizes and microkernels for convolutions and matrix "
      "products.",
      "tileplan"};
  Status status = Status::good;
  bool version = false;
  app.add_flag("--version", version,
               "Print the version, the commit, the ISA of this CPU and the versions of libraries.");
  app.require_subcommand(0, 1);
  app.failure_message([](const CLI::App*, const CLI::Error& error) {
    return std::string("tileplan: ") + error.what() + " (see --help)\n";
  });
  add_plan(app);
  add_run(app, status);
  add_bench(app, status);
  add_calibrate(app);
  add_study(app, status);
  add_records(app);
  add_emit(app);
  add_explain(app, status);
  add_report(app);
  add_candidates(app, status);
  add_movement(app);
  add_classes(app);
  add_bound(app);
  add_layers(app);
  add_help(app);
  app.add_subcommand("version", "Print the same as --version.")->callback([&version] {
    version = true;
  });
  try {
    std::vector<std::string> arguments =
        with_quoted_problems(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
    check_words(app, arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the end
    app.parse(std::move(arguments));
    if (version) std::cout << version_text() << '\n';
    if (!version && app.get_subcommands().empty()) std::cout << app.help();
  } catch (const CLI::ParseError& error) {
    return static_cast<int>(app.exit(error) == 0 ? Status::good : Status::wrong);
  } catch (const std::bad_alloc&) {
    std::cerr << "tileplan: out of memory; the problem needs more than this machine has left\n";
    return static_cast<int>(Status::wrong);
  } catch (const std::exception& error) {
    std::cerr << "tileplan: " << error.what() << '\n';
    return static_cast<int>(Status::wrong);
  }
  return static_cast<int>(status);
}

}  // namespace
}  // namespace tileplan

int main(int argc, char** argv) {
  using namespace tileplan;
  set_signals();
  const int status = program(argc, argv);
  if (std::cout.flush()) return status;
  std::cerr << "tileplan: stdout: cannot be written\n";
  return static_cast<int>(Status::wrong);
}
