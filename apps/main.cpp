// SPDX-License-Identifier: Apache-2.0
// This is the command line `tileplan`. Nearly every verb (subcommand) has its own file.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

#include "flags.h"
#include "tileplan/error.h"
#include "tileplan/gmp_memory.h"
#include "tileplan/version.h"

namespace tileplan {
namespace {

std::string host_isa() {
  try {
    return to_string(detect_machine().vector.isa);
  } catch (const Error&) {
    return "none that kernels are assembled for";
  }
}

std::string version_text() {
  return "tileplan " + version() + ", ISA of this CPU: " + host_isa() + ", " + build_info();
}

constexpr const char* kFirstSteps =
    "First steps:\n"
    "  $ tileplan plan resnet18-9       ranks schedules of a layer\n"
    "  $ tileplan explain resnet18-9    shows what the first one does in each cache\n"
    "  $ tileplan run resnet18-9        compiles, checks and times it\n"
    "  $ tileplan help run              describes the flags of a verb\n"
    "  $ tileplan layers                lists the layers that have names";

void add_verbs(CLI::App& app, Status& status) {
  add_plan(app);
  add_run(app, status);
  add_bench(app, status);
  add_calibrate(app);
  add_study(app);
  add_measure(app, status);
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
}

int run(int argc, char** argv) {
  if (argc > 2 && argv[1] == std::string_view("--version"))
    throw Error("--version with '" + std::string(argv[2]) + "'; must stand alone");
  CLI::App app{
      "tileplan chooses loop orders, tile sizes and microkernels for convolutions and matrix "
      "products.",
      "tileplan"};
  fit_help(app);
  Status status = Status::good;
  bool version = false;
  app.add_flag("--version", version,
               "Print the version, the commit, the ISA of this CPU and the versions of libraries.");
  app.require_subcommand(0, 1);
  add_verbs(app, status);
  app.add_subcommand("version", "Print the same as --version.")->callback([&version] {
    version = true;
  });
  // Verbs inherit the footer of `app` when they are added, so it is set after all of them.
  app.footer(kFirstSteps);
  return run_program(app, argc, argv, [&] {
    if (version)
      std::cout << version_text() << '\n';
    else if (app.get_subcommands().empty())
      std::cout << app.help();
    return status;
  });
}

/// Ends the program as if the exception had reached main(). Functions of CLI11 that are noexcept
/// allocate memory, so an allocation that fails in them calls this handler.
[[noreturn]] void end_by_exception() {
  if (!std::current_exception()) std::abort();
  std::_Exit(exit_code_of_exception());
}

/// Turns allocations that fail where no exception is caught into a message and an exit code.
void end_in_order() {
  std::set_terminate(end_by_exception);
  let_gmp_throw();
}

}  // namespace
}  // namespace tileplan

int main(int argc, char** argv) {
  tileplan::end_in_order();
  try {
    return tileplan::run(argc, argv);
  } catch (...) {
    return tileplan::exit_code_of_exception();
  }
}
