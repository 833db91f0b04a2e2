// SPDX-License-Identifier: Apache-2.0
// `tileplan study` starts a second program, so that tileplan is built without the studies.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "tileplan/error.h"
#include "verbs.h"

namespace tileplan {
namespace {

/// Replaces this process by the program tileplan-study in the folder of this program. Throws Error
/// when tileplan-study cannot be started.
[[noreturn]] void start_studies(std::vector<std::string> arguments) {
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string program = (self.parent_path() / "tileplan-study").string();
  arguments.insert(arguments.begin(), program);
  // The array ends with the null pointer that execv() requires.
  std::vector<char*> words(arguments.size() + 1);
  std::ranges::transform(arguments, words.begin(), [](std::string& word) { return word.data(); });
  execv(program.c_str(), words.data());
  throw Error("study: " + program + " cannot be started; ./run build makes it");
}

}  // namespace

void add_study(CLI::App& app) {
  CLI::App* verb = app.add_subcommand(
      "study", "Run an experiment of the papers and write its results into a folder.");
  // Without a help flag of this verb, `study --help` reaches tileplan-study, which prints its own
  // help.
  verb->set_help_flag();
  verb->prefix_command();
  verb->callback([verb] { start_studies(verb->remaining()); });
}

}  // namespace tileplan
